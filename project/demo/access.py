"""Who may see the demo's pages: somebody at this machine, while DEBUG is on (spec: host.md section 6)."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from ipaddress import IPv6Address, ip_address
from typing import Any, Final, TypeVar

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse

__all__ = ["for_this_machine", "is_local"]

View = TypeVar("View", bound=Callable[..., HttpResponse])
# Behind a proxy everybody comes from this machine.
_OF_A_PROXY: Final = ("HTTP_FORWARDED", "HTTP_X_FORWARDED_FOR", "HTTP_X_REAL_IP", "HTTP_VIA")


def for_this_machine(view: View) -> View:
    """The view, which is not there for anybody else."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not settings.DEBUG or not is_local(request):
            raise Http404
        return view(request, *args, **kwargs)

    return guarded  # type: ignore[return-value] # wraps keeps its signature


def is_local(request: HttpRequest) -> bool:
    """Whether the request came over the loopback interface, and by nobody in between."""
    if any(name in request.META for name in _OF_A_PROXY):
        return False
    try:
        address = ip_address(request.META.get("REMOTE_ADDR", ""))
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback
