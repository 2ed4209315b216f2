"""Agents to read and copy; talk to one with `python -m falai_engine.chat examples/triage.json`."""
