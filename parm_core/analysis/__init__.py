"""Comparing rankings."""
