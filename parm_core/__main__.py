"""`python -m parm_core` is `parm`."""

from parm_core.cli import main

main()
