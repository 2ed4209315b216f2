"""falai_engine: conversation flows where the model understands and phrases, and code decides."""
