"""A process of its own: `python -m tests.host.processes.child play` or `... post FIRST COUNT WORKERS`."""

from __future__ import annotations

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.django_settings")
django.setup()

from django.db import connections  # noqa: E402 - after the setup

from falai_django.releases import compiled  # noqa: E402 - after the setup
from tests.host.processes import scene  # noqa: E402 - after the setup


def _posts(names):
    agent = scene.agent_row()
    # As told on the command line: the same moment for both processes.
    sys.stdin.readline()

    def one(name):
        try:
            session_id, key, text = name.split("|")
            return [name, *scene.post(agent, session_id, text, key)]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(names)) as pool:
        return list(pool.map(one, names))


def _main(command, *words):
    compiled.provider_of = lambda tenant: scene.LoggedModel()
    scene.register()
    if command == "play":
        scene.play(scene.agent_row())
    else:
        sys.stdout.write(json.dumps(_posts(words)))


if __name__ == "__main__":
    _main(*sys.argv[1:])
