"""The stock Django admin of the app (spec: ux.md); every page calls `authoring`, no rule lives here."""
