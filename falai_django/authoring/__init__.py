"""Every rule for changing what authors write: admin, REST and commands call it and hold none (spec: host.md section 2).

Each function takes the Actor first, asks for their role, runs in one transaction with the agent's row locked, refuses a
stale edit token (`version`; None: whatever it is now), and stamps who saved last. A refusal is an AuthoringError with
all its problems; nothing was written then. To do several things at once, a door opens a transaction around them.
"""

from falai_django.authoring.api_keys import MadeKey, make_api_key, revoke_api_key
from falai_django.authoring.changing import change, delete, delete_agent, rename
from falai_django.authoring.duplicating import duplicate, duplicate_agent, duplicate_flow
from falai_django.authoring.editable import DRAFT, LIVE
from falai_django.authoring.editing import editing, editing_agent, editing_tenant, in_one_transaction, went_live
from falai_django.authoring.import_modes import ImportMode
from falai_django.authoring.importing import ImportPlan, plan_import, run_import
from falai_django.authoring.lists import reorder
from falai_django.authoring.live import change_agent_settings, change_tenant, set_holidays, set_opening_hours
from falai_django.authoring.making import create_agent, create_part, create_row
from falai_django.authoring.members import change_role, invite, invite_again, remove_member
from falai_django.authoring.model_providers import add_provider, change_provider, delete_provider, order_providers
from falai_django.authoring.names import Sort
from falai_django.authoring.new_tenants import create_tenant
from falai_django.authoring.problems import problems, problems_of_draft
from falai_django.authoring.publishing import (
    DRAFT_NAME,
    Activation,
    Preview,
    Publication,
    activate,
    preview,
    publish,
    release_changes,
    release_document,
)
from falai_django.authoring.references import Reference, references_to
from falai_django.authoring.row_problems import RowProblem
from falai_django.authoring.senders import add_sender, change_sender, delete_sender
from falai_django.authoring.spec_changes import spec_changes
from falai_django.authoring.tenant_secrets import Rotation, change_secret, delete_secret, make_secret, rotate_secrets
from falai_django.authoring.touched_runs import TouchedRuns

__all__ = [
    "DRAFT",
    "DRAFT_NAME",
    "LIVE",
    "Activation",
    "ImportMode",
    "ImportPlan",
    "MadeKey",
    "Preview",
    "Publication",
    "Reference",
    "Rotation",
    "RowProblem",
    "Sort",
    "TouchedRuns",
    "activate",
    "add_provider",
    "add_sender",
    "change",
    "change_agent_settings",
    "change_provider",
    "change_role",
    "change_secret",
    "change_sender",
    "change_tenant",
    "create_agent",
    "create_part",
    "create_row",
    "create_tenant",
    "delete",
    "delete_agent",
    "delete_provider",
    "delete_secret",
    "delete_sender",
    "duplicate",
    "duplicate_agent",
    "duplicate_flow",
    "editing",
    "editing_agent",
    "editing_tenant",
    "in_one_transaction",
    "invite",
    "invite_again",
    "make_api_key",
    "make_secret",
    "order_providers",
    "plan_import",
    "preview",
    "problems",
    "problems_of_draft",
    "publish",
    "references_to",
    "release_changes",
    "release_document",
    "remove_member",
    "rename",
    "reorder",
    "revoke_api_key",
    "rotate_secrets",
    "run_import",
    "set_holidays",
    "set_opening_hours",
    "spec_changes",
    "went_live",
]
