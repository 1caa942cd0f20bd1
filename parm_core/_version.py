"""The product version, recorded in every manifest and saved search."""

__version__ = "0.3.0"
