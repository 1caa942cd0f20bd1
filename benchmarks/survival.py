"""Whether a build survives being killed: `python -m benchmarks.survival [--kills 25] [--packaged 2]`.

A process builds an index and is killed (SIGKILL) at a random moment; another one builds it again. The
result must be, to the byte, what a build that nobody stopped makes, and until then whatever stood at
that place must be whole. The collection is invented. Its encoder gives vectors that depend on the
batch a text is in, as real ones do in their last digits, so that other batches would show. --packaged
kills so many builds of the sample collection with the packaged encoder besides.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from parm_core.errors import IndexStoreError
from parm_core.index.build import build_index
from parm_core.index.store import open_index
from parm_core.types import Case, Collection, Encoder, Float32, Int64, Progress

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "assets" / "landmark-cases"
CASES = {"invented": 250, "small": 60}
PARAGRAPHS, CHUNK_S = 16, 0.05


class Tally(NamedTuple):
    """What became of the builds that were killed."""

    kills: int
    identical: int
    kept_chunks: list[int]


class BatchEncoder:
    """Vectors drawn from a hash of the text, moved a little by a hash of its batch; takes its time."""

    id, revision, weights_sha256 = "batch", "1", "b" * 64
    dim = 32
    max_tokens = max_query_tokens = 64
    precision, prompt = "float32", ""

    def encode_queries(self, texts: Sequence[str], *, progress: Progress | None = None) -> Float32:
        """(n,) texts -> (n, dim) float32."""
        return self.encode_passages(texts, progress=progress)

    def encode_passages(self, texts: Sequence[str], *, progress: Progress | None = None) -> Float32:
        """(n,) texts -> (n, dim) float32."""
        time.sleep(CHUNK_S)
        moved = 1e-6 * _drawn("\0".join(texts), self.dim)
        return np.array([_drawn(text, self.dim) + moved for text in texts], np.float32)

    def count_tokens(self, texts: Sequence[str]) -> Int64:
        """(n,) texts -> (n,) words."""
        return np.array([len(text.split()) for text in texts], np.int64)


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints how many of the killed builds ended as they should."""
    parser = argparse.ArgumentParser(prog="benchmarks.survival", description=__doc__)
    parser.add_argument("--kills", type=int, default=25)
    parser.add_argument("--packaged", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--build", nargs=2, metavar=("WHAT", "INDEX"), help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.build:
        build(*given.build)
        return
    for what, kills in (("invented", given.kills), ("packaged", given.packaged)):
        if kills:
            print(f"{what}: {report(survive(what, kills, given.seed))}", flush=True)


def build(what: str, path: str) -> None:
    """One build, in a process of its own; says when it begins."""
    collection, encoder = collection_of(what)
    print("begun", flush=True)
    build_index(collection, path, encoder=encoder)


def survive(what: str, kills: int, seed: int = 1) -> Tally:
    """Kill builds at random moments, build again, compare; what: one of CASES, or "packaged"."""
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        unbroken = Path(folder, "unbroken")
        lasts_s = _run(what, unbroken)
        wanted = _bytes(unbroken)
        identical, kept = 0, []
        for number in range(kills):
            target = Path(folder, f"killed-{number}")
            _killed(what, target, number % 2 == 1, lambda: draw.uniform(0, lasts_s))
            kept.append(_kept_chunks(target))
            whole = _is_whole(target, number % 2 == 1)
            _run(what, target)
            alone = not list(target.parent.glob(f".{target.name}.*"))
            identical += whole and alone and _bytes(target) == wanted
            shutil.rmtree(target)
    return Tally(kills, identical, kept)


def report(tally: Tally) -> str:
    """The tally in words."""
    begun = sum(kept > 0 for kept in tally.kept_chunks)
    return (
        f"{tally.identical} of {tally.kills} killed builds resumed and ended byte-identical; in "
        f"{begun} of them vectors had been kept ({min(tally.kept_chunks)} to "
        f"{max(tally.kept_chunks)} chunks of texts)"
    )


def collection_of(what: str) -> tuple[Collection, Encoder]:
    """The collection and the encoder of a kind of build."""
    if what in CASES:
        return invented(CASES[what]), BatchEncoder()
    from parm_core.collections import load_collection
    from parm_core.encoders import load_encoder

    return load_collection(SAMPLE), load_encoder()


def invented(n_cases: int) -> Collection:
    """Some thousands of paragraphs of words drawn with a seed, one in ten of them seen before."""
    draw = random.Random(7)
    words = [f"word{n}" for n in range(2_000)]
    said: list[str] = []
    cases = []
    for case in range(n_cases):
        for _ in range(PARAGRAPHS):
            again = said and draw.random() < 0.1
            said.append(draw.choice(said) if again else " ".join(draw.choices(words, k=30)))
        numbered = (f"{n}. {text}." for n, text in enumerate(said[-PARAGRAPHS:], 1))
        cases.append(Case(f"case-{case:04d}", f"Case {case}", "\n".join(numbered)))
    return Collection("invented", tuple(cases))


OTHER = Collection("other", (Case("other", "Other", "The mill was let to a tanner."),))


def _killed(what: str, target: Path, replacing: bool, after_s: Callable[[], float]) -> None:
    """Begin builds until one is killed before it ends; replacing: where another index stands."""
    while True:
        if replacing:
            build_index(OTHER, target, encoder=None)
        process = _started(what, target)
        try:
            process.communicate(timeout=after_s())
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return
        shutil.rmtree(target)


def _run(what: str, target: Path) -> float:
    """Build to the end; returns how long it took from its beginning, in seconds."""
    process = _started(what, target)
    begun = time.perf_counter()
    process.communicate()
    if process.returncode:
        raise IndexStoreError(f"the build of {target} ended with {process.returncode}")
    return time.perf_counter() - begun


def _started(what: str, target: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "benchmarks.survival", "--build", what, str(target)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if process.stdout is None or process.stdout.readline() != "begun\n":
        raise IndexStoreError(f"the build of {target} did not begin")
    return process


def _is_whole(target: Path, was_there: bool) -> bool:
    """Whether what stands at a place can be opened and is undamaged, and stands if it did before."""
    try:
        open_index(target).verify()
    except IndexStoreError:
        return not was_there and not target.exists()
    return True


def _kept_chunks(target: Path) -> int:
    lines = target.with_name(f".{target.name}.draft") / "encoded.sha256"
    return len(lines.read_text().splitlines()) if lines.is_file() else 0


def _bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def _drawn(text: str, dim: int) -> Float32:
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    return np.random.default_rng(seed).normal(size=dim).astype(np.float32)


if __name__ == "__main__":
    main()
