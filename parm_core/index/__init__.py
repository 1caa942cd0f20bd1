"""What search needs, on disk, for one collection."""
