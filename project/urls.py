"""The demo site's addresses."""

from __future__ import annotations

from django.apps import apps
from django.contrib import admin
from django.contrib.auth import views as auth
from django.templatetags.static import static
from django.urls import include, path
from django.utils.functional import lazy
from django.views.generic import RedirectView

_static_later = lazy(static, str)

admin.site.site_header = admin.site.site_title = admin.site.index_title = "falai"

urlpatterns = [
    path("i18n/", include("django.conf.urls.i18n")),
    # The link that an invitation brings by e-mail leads here.
    path("admin/password/", auth.PasswordResetView.as_view(), name="admin_password_reset"),
    path("admin/password/sent/", auth.PasswordResetDoneView.as_view(), name="password_reset_done"),
    path("admin/password/<uidb64>/<token>/", auth.PasswordResetConfirmView.as_view(), name="password_reset_confirm"),
    path("admin/password/done/", auth.PasswordResetCompleteView.as_view(), name="password_reset_complete"),
    path("admin/", admin.site.urls),
    # The API: /api/v1/, /api/schema, /api/docs.
    path("", include("falai_django.urls")),
]
if apps.is_installed("project.demo"):
    urlpatterns += [
        path("", include("project.demo.urls")),
        # Browsers ask for it on the pages of the admin, which name none.
        path("favicon.ico", RedirectView.as_view(url=_static_later("demo/icon.svg"))),
    ]
