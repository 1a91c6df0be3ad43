"""What the files of the page's drills say of their making."""

from __future__ import annotations

from typing import Any

from evenmatch_lab.provenance import code_of_script, installed_code
from evenmatch_lab.result_files import made_by


def made_with_server(script: str) -> dict[str, Any]:
    """Return it: the code of the drill's script, and all of the server."""
    server = installed_code().reached_from("evenmatch.frontends.web.server", "serve")
    return made_by(code_of_script(script, "main") | server, {})
