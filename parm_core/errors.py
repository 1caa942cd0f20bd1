"""Every error this product raises on purpose.

    ParmError
    ├── DataError (ValueError)         a collection, a case or a text is not usable as given
    ├── ConfigError (ValueError)       an option, a system or a parameter is not one we know
    ├── IndexStoreError (OSError)      an index on disk is missing, damaged or of another version
    └── EncoderError (RuntimeError)    an encoder cannot be loaded or does not fit the index

A message says what was wrong, which value, and what to do. Command line and app print it as it is.
"""


class ParmError(Exception):
    """Base of the tree: catch this to catch all of them."""


class DataError(ParmError, ValueError):
    """A collection, a case or a text is not usable as given."""


class ConfigError(ParmError, ValueError):
    """An option, a system or a parameter is not one we know."""


class IndexStoreError(ParmError, OSError):
    """An index on disk is missing, damaged or of another version."""


class EncoderError(ParmError, RuntimeError):
    """An encoder cannot be loaded, or is not the one an index was built with."""
