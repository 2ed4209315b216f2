"""The pages on which flows and what they name are written."""
