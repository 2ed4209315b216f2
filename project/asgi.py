"""The demo site for an ASGI server."""

import os
import warnings

from django.core.asgi import get_asgi_application

# Static files are read whole, which is how small they are; only those are streamed from a plain iterator.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")
application = get_asgi_application()
