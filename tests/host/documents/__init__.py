"""Rows and documents, both ways."""
