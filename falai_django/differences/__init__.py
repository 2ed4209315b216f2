"""What makes one agent document another, in words (spec: host.md section 2).

`difference` walks two documents by the tables of `tables`; `words` is the vocabulary, which pages may use too, and
`summary` tells a step or a trigger in one line.
"""

from falai_django.differences.change import Change, ChangeKind
from falai_django.differences.compare import difference
from falai_django.differences.labels import Labels
from falai_django.differences.summaries import step_summary, summary, trigger_summary

__all__ = ["Change", "ChangeKind", "Labels", "difference", "step_summary", "summary", "trigger_summary"]
