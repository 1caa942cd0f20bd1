"""Reading collections: one file a format. Today BEIR's layout; a further format is a further module."""

from parm_core.collections.beir import load_beir as load_collection

__all__ = ["load_collection"]
