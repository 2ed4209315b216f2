"""`agents/{agent}/draft`, `validate`, `publish`, `releases`: flows as code (spec: host.md section 5)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Final

from django.utils.translation import gettext as _
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from falai_django.authoring import ImportMode, plan_import, run_import
from falai_django.authoring.exporting import export_draft
from falai_django.authoring.publishing import activate, preview, publish
from falai_django.authoring.touched_runs import TouchedRuns
from falai_django.conf import settings
from falai_django.differences import Change
from falai_django.inbox.cleaning import invalid
from falai_django.models import Agent, Release, Scope
from falai_django.rest.access import caller_of
from falai_django.rest.bodies import assert_known, checked_body, read_json
from falai_django.rest.error_answers import told_problems
from falai_django.rest.lookups import agent_of
from falai_django.rest.operations import ORDERED_PAGE, Operation, body_example, header, query
from falai_django.rest.pages import assert_parameters, page_of
from falai_django.rest.shapes.authoring import (
    ActivateAnswer,
    DraftPlanAnswer,
    EmptyShape,
    PublishAnswer,
    PublishBody,
    ReleasePage,
    ValidateBody,
)
from falai_django.rest.telling import change_told, release_told, touched_told
from falai_django.rest.views import ApiView
from falai_django.roles import Actor
from falai_django.rows import rows

__all__ = ["ActivateView", "DraftView", "PublishView", "ReleasesView", "ValidateView"]

_TAG: Final = "Flows as code"
_PATH: Final = ("agent",)
_IMPORT_CODES: Final = ("refused", "invalid-document")
_DOCUMENT: Final = {"specVersion": 1, "name": "Lia", "flows": [{"id": "hello", "steps": [{"id": "s1", "say": "Oi!"}]}]}


class DraftView(ApiView):
    """The draft as a document."""

    scopes: ClassVar = {"GET": (Scope.AUTHOR,), "PUT": (Scope.AUTHOR,)}

    @Operation(
        "readDraft",
        "The draft as an agent document",
        tag=_TAG,
        path=_PATH,
        scopes=scopes["GET"],
        answers={200: EmptyShape},
        codes=_IMPORT_CODES,
        description="`ETag` names its state, for `If-Match` of a later PUT. Under `host`: what rows hold beyond it.",
    )
    def get(self, request: Request, agent: str) -> Response:
        assert_parameters(request, ())
        found = export_draft(caller_of(request).actor, agent_of(request, agent))
        return Response(found.document, headers={"ETag": f'"{found.token}"'})

    @Operation(
        "replaceDraft",
        "Replace the draft by an agent document",
        tag=_TAG,
        path=_PATH,
        scopes=scopes["PUT"],
        body=EmptyShape,
        answers={200: DraftPlanAnswer},
        codes=(*_IMPORT_CODES, "stale"),
        examples=(body_example("document", _DOCUMENT),),
        parameters=(
            query("asDraft", bool, "Also with problems that keep it from being published."),
            header("If-Match", "The `ETag` of the draft that was read; another one is refused."),
        ),
        description="All of it or nothing. Answers what publishing would say and do now.",
    )
    def put(self, request: Request, agent: str) -> Response:
        assert_parameters(request, ("asDraft",))
        content = read_json(request, settings().import_max_bytes)
        if not content:
            # A forgotten body would empty the draft.
            raise invalid("body", _("There is no document. Send one; `flows` may be an empty list."))
        actor, row = caller_of(request).actor, agent_of(request, agent)
        as_draft = _flag(request, "asDraft")
        run_import(actor, row, content, mode=ImportMode.REPLACE, as_draft=as_draft, token=_if_match(request))
        return Response(_previewed(actor, row))


class ValidateView(ApiView):
    """What publishing would say."""

    scopes: ClassVar = {"POST": (Scope.AUTHOR,)}

    @Operation(
        "validateDraft",
        "What publishing the draft, or a document in its place, would say and do",
        tag=_TAG,
        path=_PATH,
        scopes=scopes["POST"],
        body=ValidateBody,
        answers={200: DraftPlanAnswer},
        codes=_IMPORT_CODES,
        examples=(body_example("the draft", {}), body_example("a document", {"document": _DOCUMENT})),
        description="Nothing is stored. A document that cannot be read at all is a 422 with every reason.",
    )
    def post(self, request: Request, agent: str) -> Response:
        assert_parameters(request, ())
        payload = read_json(request, settings().import_max_bytes)
        assert_known(payload, ValidateBody)
        actor, row = caller_of(request).actor, agent_of(request, agent)
        if payload.get("document") is None:
            return Response(_previewed(actor, row))
        plan = plan_import(actor, row, payload["document"], mode=ImportMode.REPLACE)
        return Response(
            {
                "isValid": not plan.errors,
                "isUnchanged": not plan.changes,
                "version": "",
                "problems": told_problems(plan.problems),
                **_consequences(plan.changes),
                "notes": list(plan.notes),
            }
        )


class PublishView(ApiView):
    """From draft to release."""

    scopes: ClassVar = {"POST": (Scope.PUBLISH,)}

    @Operation(
        "publishDraft",
        "Make the draft the next release, and the one that serves",
        tag=_TAG,
        path=_PATH,
        scopes=scopes["POST"],
        body=PublishBody,
        answers={200: PublishAnswer, 201: PublishAnswer},
        codes=(*_IMPORT_CODES, "stale"),
        examples=(body_example("publish", {"note": "Booking asks for the day first"}),),
        description="200 when the draft says what serves already; nothing is done then. 422 tells all that is wrong.",
    )
    def post(self, request: Request, agent: str) -> Response:
        assert_parameters(request, ())
        body = checked_body(request, PublishBody)
        row = agent_of(request, agent)
        done = publish(caller_of(request).actor, row, body["note"], body.get("version"))
        told = {
            "release": release_told(done.release, done.release.pk),
            "isNew": done.is_new,
            "warnings": told_problems(done.warnings),
            **_consequences(done.changes, done.touched),
        }
        return Response(told, status=201 if done.is_new else 200)


class ReleasesView(ApiView):
    """What was published."""

    scopes: ClassVar = {"GET": (Scope.READ, Scope.AUTHOR, Scope.PUBLISH)}

    @Operation(
        "listReleases",
        "The releases of an agent",
        tag=_TAG,
        path=_PATH,
        scopes=scopes["GET"],
        answers={200: ReleasePage},
        parameters=ORDERED_PAGE,
    )
    def get(self, request: Request, agent: str) -> Response:
        row = agent_of(request, agent)
        found = rows(Release).filter(agent=row).defer("document")
        return Response(page_of(request, found, "number", lambda each: release_told(each, row.active_release_id)))


class ActivateView(ApiView):
    """Which release serves."""

    scopes: ClassVar = {"POST": (Scope.PUBLISH,)}

    @Operation(
        "activateRelease",
        "Let a release serve",
        tag=_TAG,
        path=(*_PATH, "number"),
        scopes=scopes["POST"],
        body=EmptyShape,
        answers={200: ActivateAnswer},
        codes=_IMPORT_CODES,
        examples=(body_example("activate", {}),),
        description="422 when it cannot be used any more. Sessions follow with their next turn.",
    )
    def post(self, request: Request, agent: str, number: int) -> Response:
        assert_parameters(request, ())
        checked_body(request, EmptyShape)
        row = agent_of(request, agent)
        if not rows(Release).filter(agent=row, number=number).exists():
            raise NotFound(_("There is no such release."))
        done = activate(caller_of(request).actor, row, number)
        told = {"release": release_told(done.release, done.release.pk), "isChanged": done.is_changed}
        return Response({**told, **_consequences(done.changes, done.touched)})


def _previewed(actor: Actor, agent: Agent) -> dict[str, Any]:
    found = preview(actor, agent)
    return {
        "isValid": not any(problem.is_error for problem in found.problems),
        "isUnchanged": found.is_unchanged,
        "version": found.version,
        "problems": told_problems(found.problems),
        **_consequences(found.changes, found.touched),
        "notes": [],
    }


def _consequences(changes: Iterable[Change], touched: Iterable[TouchedRuns] = ()) -> dict[str, Any]:
    return {"changes": [change_told(each) for each in changes], "touched": [touched_told(each) for each in touched]}


def _flag(request: Request, name: str) -> bool:
    text = request.query_params.get(name, "false")
    if text not in ("true", "false"):
        raise invalid(name, _("Give `true` or `false`, or leave it out."))
    return bool(text == "true")


def _if_match(request: Request) -> str | None:
    """The token of an ETag; None for any."""
    tag = request.headers.get("If-Match", "").strip().removeprefix("W/").strip('"')
    return None if tag in ("", "*") else tag
