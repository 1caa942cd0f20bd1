"""What tests of Milvus share: the reason to skip them, a Milvus Lite file, a server of one."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import pytest

from parm_core.errors import IndexStoreError
from parm_core.index.milvus_connection import Connection

_SERVE = (
    "import sys; from milvus_lite.adapter.grpc.server import run_server\n"
    "run_server(sys.argv[1], '127.0.0.1', int(sys.argv[2]))\n"
)


def open_file(folder):
    """A connection to a new Milvus Lite file; skips where Milvus Lite cannot run."""
    for module in ("pymilvus", "milvus_lite"):
        if find_spec(module) is None:
            pytest.skip(f"{module} is not installed: pip install 'parm-explorer[milvus]'")
    try:
        return Connection(str(folder / "milvus.db"))
    except IndexStoreError as error:
        pytest.skip(f"Milvus Lite does not run here: {error}")


class Server:
    """Milvus Lite behind a port of this machine, as a cluster is reached; it can die and come back."""

    def __init__(self, folder, port):
        self.uri = f"http://127.0.0.1:{port}"
        self._words = [sys.executable, "-c", _SERVE, str(folder / "served.db"), str(port)]
        self._process = None

    def start(self):
        self._process = subprocess.Popen(self._words, stdout=subprocess.PIPE, text=True)
        assert "listening" in self._process.stdout.readline()

    def kill(self):
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process.stdout.close()
            self._process = None
