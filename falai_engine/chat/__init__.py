"""A conversation in the terminal with an agent written as JSON: `python -m falai_engine.chat FILE`.

The chat is a host like any other: it brings the model (the offline provider), a store, a clock and wakes, and shows
what each turn gave. Its clock stands still between inputs and moves five seconds for each; no pause is slept through.

`--registry MODULE` brings Python registrations: MODULE is imported and has one name, `registrations`, an instance of
`falai_engine.Registrations`. Handlers may be async. A name of the document that nobody registered gets a stand-in, and
the chat says so once: an action answers ok, a tool `{"ok": true}`, and a condition holds where its argument is `true`.

`--scenario OUT` keeps the conversation as a scenario file (falai_engine/testing/README.md), which then
`python -m falai_engine.testing OUT` runs.
"""

from falai_engine.chat.program import main

__all__ = ["main"]
