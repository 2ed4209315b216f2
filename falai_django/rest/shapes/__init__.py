"""Bodies and answers of the API as the OpenAPI document shows them; small bodies are checked by them, too."""

__all__: list[str] = []
