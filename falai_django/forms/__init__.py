"""Form fields with which the stock admin edits flow-spec JSON: no models, rows come in by values (spec: ux.md).

`names` says what pickers offer; `step_fields` and its like give an `Assembly`: form fields by name, the way back from
their cleaned data to the JSON, and where a problem of validation is shown.
"""

from falai_django.forms.assembly import Assembly, Place
from falai_django.forms.definitions import (
    ACTION_KINDS,
    CONDITION_KINDS,
    TOOL_KINDS,
    action_fields,
    condition_fields,
    event_fields,
    field_fields,
    tool_fields,
)
from falai_django.forms.fields import PartField, PartWidget
from falai_django.forms.heads import agent_head_fields, flow_head_fields
from falai_django.forms.names import ActionName, ConditionName, FieldName, Named, Names
from falai_django.forms.samples import sample_fields, sample_values
from falai_django.forms.steps import STEP_KINDS, step_fields
from falai_django.forms.triggers import TRIGGER_KINDS, trigger_fields

__all__ = [
    "ACTION_KINDS",
    "CONDITION_KINDS",
    "STEP_KINDS",
    "TOOL_KINDS",
    "TRIGGER_KINDS",
    "ActionName",
    "Assembly",
    "ConditionName",
    "FieldName",
    "Named",
    "Names",
    "PartField",
    "PartWidget",
    "Place",
    "action_fields",
    "agent_head_fields",
    "condition_fields",
    "event_fields",
    "field_fields",
    "flow_head_fields",
    "sample_fields",
    "sample_values",
    "step_fields",
    "tool_fields",
    "trigger_fields",
]
