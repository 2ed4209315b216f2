"""Flows and conditions made ready once, so that a turn parses, looks up and validates nothing."""
