"""The REST API under `/api/v1/`: it parses, calls one function of the rooms below, shows the result (host.md 5)."""

__all__: list[str] = []
