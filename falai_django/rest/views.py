"""What every view of the API has in common; a site's own settings of the framework change nothing here."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, ClassVar, Final

from django.db import transaction
from django.utils.translation import gettext as _
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from falai_django.inbox.cleaning import invalid
from falai_django.inbox.inputs import PATH_ID
from falai_django.models import Scope
from falai_django.rest.access import HasScope, KeyAuthentication
from falai_django.rest.bodies import AlwaysJson, JsonRenderer
from falai_django.rest.error_answers import answer_of
from falai_django.rest.operations import ApiSchema
from falai_django.rest.throttles import KeyThrottle, SessionThrottle

__all__ = ["ApiView", "NowhereView"]

_PATH_IDS: Final = ("session", "anchor", "key")


class ApiView(APIView):
    """`scopes`: by method, those of which a key needs one; a method that is not named is for everybody."""

    scopes: ClassVar[Mapping[str, Collection[Scope]]] = {}
    authentication_classes: Any = (KeyAuthentication,)
    permission_classes = (HasScope,)
    throttle_classes: Any = (KeyThrottle, SessionThrottle)
    parser_classes = ()
    renderer_classes = (JsonRenderer,)
    content_negotiation_class = AlwaysJson
    versioning_class = None
    metadata_class = None
    schema: Any = ApiSchema()

    @classmethod
    def as_view(cls, **initkwargs: Any) -> Any:
        """Turns commit on their own: no view of the API runs in a transaction of the site's."""
        return transaction.non_atomic_requests(super().as_view(**initkwargs))

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        for name in _PATH_IDS:
            if name in kwargs and not PATH_ID.fullmatch(kwargs[name]):
                raise invalid(name, _("Give 1 to 128 letters, digits and . _ : @ + ~ -"))

    @property
    def allowed_methods(self) -> list[str]:
        """`OPTIONS` is not among them: /api/schema says what there is."""
        return [name for name in super().allowed_methods if name != "OPTIONS"]

    def handle_exception(self, exc: Exception) -> Response:
        response = answer_of(exc, self.request)
        response.exception = True
        return response

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response.headers.setdefault("Cache-Control", "no-store")
        # Django would log the address, in which a phone number may stand.
        response._has_been_logged = True  # noqa: SLF001 - its own name for that
        return super().finalize_response(request, response, *args, **kwargs)


class NowhereView(ApiView):
    """Under the API's address, but none of its addresses: told in the API's own shape."""

    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        raise NotFound(_("There is no such address. The schema of the API lists all."))
