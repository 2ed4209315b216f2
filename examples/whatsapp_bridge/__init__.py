"""A bridge between WhatsApp's Cloud API and falai, to copy: the standard library and httpx alone (README.md)."""
