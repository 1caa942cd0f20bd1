"""A connection to Milvus, a cluster's or Milvus Lite's: only the address given is spoken to.

Failures are IndexStoreErrors of one line. The token that a cluster may ask for comes from the
environment variable PARM_MILVUS_TOKEN and is written nowhere.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from parm_core.errors import ConfigError, IndexStoreError

TOKEN_VARIABLE = "PARM_MILVUS_TOKEN"
CONNECT_S, CALL_S = 10.0, 600.0
"""How long a connection, and a call, may take, in seconds; a dead connection is noticed long before."""

PAUSES_S = (0.5, 1.0, 2.0, 4.0, 8.0)
"""The pauses, in seconds, after which a lost connection is tried again."""

_GRPC = {"grpc.enable_http_proxy": 0}
_PATIENT = {"grpc.keepalive_time_ms": 2**31 - 1}
"""Milvus Lite ends a call during which it is asked, a few times, whether it is still there."""

_LITE = ".db"
_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")
_NOT_LOADED = 101
"""Milvus's code for a collection that it knows and has not loaded."""

_QUIET = ("pymilvus", "pymilvus.milvus_client", "milvus_lite")


def is_file(uri: str) -> bool:
    """Whether a URI names a database of Milvus Lite, and no server."""
    return "://" not in uri


def other_machine(uri: str) -> str:
    """The name of the machine a URI leads to; "" where it is this one."""
    host = "" if is_file(uri) else urlsplit(uri).hostname or ""
    return "" if host in _THIS_MACHINE else host


def checked_uri(uri: str) -> str:
    """The URI itself.

    Raises ConfigError: neither a server's nor a file's; a password in it; a "global cluster", which
    names further addresses to be spoken to.
    """
    parts = urlsplit(uri)
    server = parts.scheme in ("http", "https") and bool(parts.hostname)
    if not server and not (is_file(uri) and uri.endswith(_LITE) and uri != _LITE):
        raise ConfigError(
            f"--uri takes http://HOST:19530, https://HOST:PORT or a file ending in {_LITE}, got {uri!r}"
        )
    if parts.username or parts.password:
        raise ConfigError(
            f"the URI of Milvus may hold no password; give USER:PASSWORD or a token in {TOKEN_VARIABLE}"
        )
    if "global-cluster" in uri.lower():
        raise ConfigError(f"{uri} stands for several addresses; name the cluster's own")
    return uri


def stored_uri(uri: str, folder: Path) -> str:
    """The URI as an index in `folder` keeps it: a file's path is relative to the index."""
    if not is_file(checked_uri(uri)):
        return uri
    return Path(os.path.relpath(Path(uri).expanduser().resolve(), folder.resolve())).as_posix()


def opened_uri(stored: str, folder: Path) -> str:
    """The URI that an index in `folder` keeps, ready to be connected to.

    Raises ConfigError as `checked_uri` does, IndexStoreError where no such file is: Milvus Lite
    would make an empty one.
    """
    if not is_file(checked_uri(stored)):
        return stored
    path = (folder / stored).resolve()
    if not (path / "collections").is_dir():
        raise IndexStoreError(
            f"the Milvus Lite file {path} of the index at {folder} is missing; put it back, or build "
            "the index again"
        )
    return str(path)


class Connection:
    """One client of one Milvus. Raises IndexStoreError where it cannot be reached."""

    def __init__(self, uri: str) -> None:
        self.uri = checked_uri(uri)
        _require("pymilvus")
        if is_file(uri):
            _require("milvus_lite")
        self._client: Any = None
        self._loaded: set[str] = set()
        self._calling(lambda: None, ())

    def call(self, method: str, /, **given: Any) -> Any:
        """Call a method of pymilvus's MilvusClient; a lost connection is tried again a few times.

        Raises IndexStoreError, naming the reason.
        """
        return self._calling(
            lambda: getattr(self._client, method)(timeout=CALL_S, **given), PAUSES_S
        )

    def load(self, collection: str) -> None:
        """Have a collection ready to be searched; again, should the connection be lost."""
        self.call("load_collection", collection_name=collection)
        self._loaded.add(collection)

    def _calling(self, ask: Callable[[], Any], pauses: Iterable[float]) -> Any:
        import grpc
        from pymilvus import MilvusException

        left = iter(pauses)
        while True:
            try:
                if self._client is None:
                    self._client = self._connected()
                return ask()
            except (MilvusException, grpc.RpcError) as error:
                pause = next(left, None) if _is_lost(error) else None
                if pause is None:
                    raise self._failure(error) from error
                self._forget()
                time.sleep(pause)

    def _connected(self) -> Any:
        """A client of its own: pymilvus never mends one that it shares, once it was lost."""
        from pymilvus import MilvusClient

        _quieten()
        client = MilvusClient(
            self.uri,
            token=os.environ.get(TOKEN_VARIABLE, ""),
            timeout=CONNECT_S,
            dedicated=True,
            grpc_options=_GRPC | (_PATIENT if is_file(self.uri) else {}),
        )
        for collection in sorted(self._loaded):
            client.load_collection(collection, timeout=CALL_S)
        return client

    def _forget(self) -> None:
        lost, self._client = self._client, None
        if lost is not None:
            lost.close()

    def _failure(self, error: Exception) -> IndexStoreError:
        reason = _reason(error)
        if is_file(self.uri) and self._client is None:
            return IndexStoreError(
                f"the Milvus Lite file {self.uri} cannot be opened: its folder is missing, or another "
                "process has it open (it serves one at a time)"
            )
        if _is_lost(error):
            return IndexStoreError(
                f"Milvus at {self.uri} does not answer ({reason}); check the address and that it "
                "runs, then try again: what was loaded is kept"
            )
        return IndexStoreError(
            f"Milvus at {self.uri} refuses: {reason}; where it asks for a password or a token, give "
            f"it in {TOKEN_VARIABLE}"
        )


def _reason(error: Any) -> str:
    """What Milvus, or the way there, said: one line."""
    said = error.details() if hasattr(error, "details") else error.message
    return " ".join(str(said).split(", debug=")[0].split())[:300]


def _is_lost(error: Any) -> bool:
    """Whether the connection failed, or Milvus began anew and has loaded nothing yet."""
    import grpc
    from pymilvus.client.types import Status

    code = error.code() if callable(error.code) else error.code
    return code in (Status.CONNECT_FAILED, grpc.StatusCode.UNAVAILABLE, _NOT_LOADED)


def _require(module: str) -> None:
    if find_spec(module) is None:
        raise IndexStoreError(
            f"an index in Milvus needs {module}: pip install 'parm-explorer[milvus]', or add "
            "pymilvus and milvus-lite to what is installed here"
        )


def _quieten() -> None:
    """pymilvus prints every failure on importing its handlers; ours are raised, and said once."""
    for name in _QUIET:
        logger = logging.getLogger(name)
        logger.handlers[:] = [logging.NullHandler()]
        logger.propagate = False
