"""`parm …` and `python -m parm_core`: exit 0 on success, 2 with one clear line on bad input."""

from __future__ import annotations

import sys
from typing import Any

import typer

from parm_core.cli import evaluating, importing, indexing, picturing, searching
from parm_core.cli.application import app
from parm_core.errors import ParmError

__all__ = ["app", "evaluating", "importing", "indexing", "main", "picturing", "searching"]

UsageError: Any = typer.BadParameter.__base__
"""What typer raises for words it cannot read; it exports the subclass only."""


def main() -> None:
    """Run the command line; one line on standard error and exit 2 for anything a person can mend."""
    try:
        raise SystemExit(app(standalone_mode=False))
    except ParmError as error:
        _fail(str(error))
    except UsageError as error:
        _fail(f"{error.format_message()} See parm --help.")
    except (typer.Abort, KeyboardInterrupt):
        _fail("stopped; nothing that was already there has changed")


def _fail(message: str) -> None:
    print(f"parm: {' '.join(message.split())}", file=sys.stderr)
    raise SystemExit(2)
