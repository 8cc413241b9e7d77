"""The server of the studio: the standard library's, since a handful of requests to oneself needs no framework.

It listens only on 127.0.0.1. A page must name this server as its host (a foreign name that resolves to 127.0.0.1 is
refused), must come from it (foreign origins are refused), and must know the token of this studio, which is in the
address that is printed. It serves one page and answers verbs; it reads no path that a request names.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import sys
import threading
from collections import OrderedDict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from dalembert.core.errors import DalembertError, InputError
from dalembert.io.realtime import Realtime
from dalembert.loop.experiment import Experiment
from dalembert.model.machine import Machine
from dalembert.simulation.run import Run
from dalembert.view.page.assets import asset, inline_json
from dalembert.view.studio.campaigns import FollowedCampaign
from dalembert.view.studio.opened import Opened
from dalembert.view.studio.opening import open_object
from dalembert.view.studio.session import Download, Session
from dalembert.view.studio.workspace import Workspace

if TYPE_CHECKING:
    from dalembert.campaigns import Campaign

__all__ = ["Studio"]

_LARGEST = 64 * 2**20
_SESSIONS = 16


class Studio:
    """A studio that is being served; also as a context.

    Parameters
    ----------
    first
        Initial content of every new page: a machine, a run, or a loop in real time, which the pages follow; None: a
        ready-made machine.
    port
        Port; 0: the one of the workspace, or any that is free.
    workspace
        Folder that holds the address and the sessions, so that a studio that is started again continues; None: sessions
        end with this process.
    session
        Name of the session that the address opens.
    campaign
        A campaign of ``first``, whose members the page shows as they are finished; None: none.

    Examples
    --------
    >>> from dalembert.view import Studio
    >>> with Studio() as studio:
    ...     studio.url.startswith("http://127.0.0.1:")
    True
    """

    def __init__(
        self,
        first: Opened | Experiment | Machine | Run | Realtime | None = None,
        *,
        port: int = 0,
        workspace: str | os.PathLike[str] | None = None,
        session: str = "main",
        campaign: Campaign | None = None,
    ) -> None:
        if campaign is not None and first is None:
            raise InputError("a campaign needs its experiment: Studio(experiment, campaign=...)")
        self._campaign = None if campaign is None else FollowedCampaign(campaign)
        self._workspace = None if workspace is None else Workspace(Path(workspace))
        self.token = secrets.token_urlsafe(24) if self._workspace is None else self._workspace.token
        self.main = _checked_name(session)
        self._loop = first if isinstance(first, Realtime) else None
        self._first = first if first is None or isinstance(first, Opened) else open_object(first)
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._lock = threading.Lock()
        self._server = self._bound(port)
        self._server.studio = self
        self.port = int(self._server.server_address[1])
        if self._workspace is not None:
            self._workspace.keep_address(self.port)
        self._thread: threading.Thread | None = None

    def _bound(self, port: int) -> _Server:
        """The server at a port, or at the one of the workspace unless another program has it."""
        usual = 0 if self._workspace is None else self._workspace.port
        if not port and usual:
            with contextlib.suppress(OSError):
                return _Server(("127.0.0.1", usual), _Handler)
        try:
            return _Server(("127.0.0.1", port), _Handler)
        except OSError as error:
            if self._workspace is not None:
                self._workspace.close()
            raise InputError(f"port {port} cannot be used: {error.strerror}; give another with --port") from None

    @property
    def url(self) -> str:
        """Address of the studio, with its token."""
        session = "" if self.main == "main" else f"&session={self.main}"
        return f"http://127.0.0.1:{self.port}/?token={self.token}{session}"

    def serve(self) -> None:
        """Serve until interrupted."""
        try:
            self._server.serve_forever(poll_interval=0.2)
        finally:
            self.close()

    def start(self) -> Studio:
        """Serve in a thread."""
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        return self

    def close(self) -> None:
        """End all runs and stop serving."""
        for session in list(self._sessions.values()):
            session.close()
        if self._thread is not None:
            self._server.shutdown()
            self._thread.join(5.0)
            self._thread = None
        self._server.server_close()
        if self._workspace is not None:
            self._workspace.close()

    def __enter__(self) -> Studio:
        return self.start()

    def __exit__(self, *exception: object) -> None:
        self.close()

    def session(self, name: str) -> Session:
        """A session by name; the one that was used least lately makes room, and stays on disk."""
        _checked_name(name)
        with self._lock:
            if name not in self._sessions:
                store = None if self._workspace is None else self._workspace.session(name)
                first = self._first if name == self.main or store is None else None
                loop = self._loop if name == self.main else None
                self._sessions[name] = Session(first, store, loop, None if first is None else self._campaign)
            self._sessions.move_to_end(name)
            while len(self._sessions) > _SESSIONS:
                self._sessions.popitem(last=False)[1].close()
            return self._sessions[name]


def _checked_name(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9-]{1,64}", name):
        raise InputError(f"a session must be named by letters, digits and hyphens, got {name!r}")
    return name


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = os.name == "posix"  # a restarted studio has the same address
    studio: Studio

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore pages that were closed or reloaded during an answer."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    server_version = "dalembert"
    sys_version = ""
    timeout = 60

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the terminal belongs to the user."""

    def do_GET(self) -> None:
        """The page, for requests with the token."""
        if not self._allowed():
            return
        address = urlsplit(self.path)
        if address.path != "/":
            self._send(404, b"not found", "text/plain")
        elif not self._knows(parse_qs(address.query).get("token", [""])[0]):
            self._send(403, b"use the address that dalembert studio printed, with its token", "text/plain")
        else:
            nonce = secrets.token_urlsafe(16)
            session = parse_qs(address.query).get("session", [self.server.studio.main])[0]
            try:
                page = _page(nonce, self.server.studio.token, _checked_name(session)).encode("utf-8")
            except InputError as error:
                self._send(400, str(error).encode("utf-8"), "text/plain; charset=utf-8")
                return
            self._send(200, page, "text/html; charset=utf-8", nonce=nonce)

    def do_POST(self) -> None:
        """A verb of a page's session."""
        if not self._allowed():
            return
        if not self._knows(self.headers.get("X-Dalembert-Token", "")):
            self._refuse(403, "this is not the token of this studio")
            return
        size = self.headers.get("Content-Length", "")
        if not size.isdigit() or int(size) > _LARGEST:
            self._refuse(413, f"a request must state its length, at most {_LARGEST // 2**20} MiB")
            return
        body = self.rfile.read(int(size))
        address = urlsplit(self.path)
        if not address.path.startswith("/api/"):
            self._refuse(404, "not found")
            return
        self._answer(address.path.removeprefix("/api/"), body)

    def _answer(self, verb: str, body: bytes) -> None:
        try:
            data = json.loads(body or b"{}")
            if not isinstance(data, dict):
                raise InputError("a request must be a mapping")
            session = self.server.studio.session(str(data.pop("session", "")))
            answer = session.answer(verb, data)
        except (DalembertError, json.JSONDecodeError, UnicodeDecodeError) as error:
            self._refuse(400, str(error))
        except Exception as error:
            self._refuse(500, f"{type(error).__name__}: {error}")
        else:
            if isinstance(answer, Download):
                self._send(200, answer.content, answer.kind, name=answer.name)
            else:
                self._send(200, json.dumps(answer, separators=(",", ":")).encode("utf-8"), "application/json")

    def _allowed(self) -> bool:
        port = self.server.studio.port
        hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
        origin = self.headers.get("Origin")
        if self.headers.get("Host") not in hosts:
            self._refuse(403, "foreign host")
        elif origin is not None and origin not in [f"http://{host}" for host in hosts]:
            self._refuse(403, "foreign origin")
        elif self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            self._refuse(403, "foreign site")
        else:
            return True
        return False

    def _knows(self, token: str) -> bool:
        return secrets.compare_digest(token.encode("utf-8"), self.server.studio.token.encode("utf-8"))

    def _refuse(self, status: int, why: str) -> None:
        self.close_connection = True
        self._send(status, json.dumps({"error": why}).encode("utf-8"), "application/json")

    def _send(self, status: int, content: bytes, kind: str, *, nonce: str = "", name: str = "") -> None:
        script = f"'nonce-{nonce}'" if nonce else "'none'"
        policy = (
            f"default-src 'none'; script-src {script}; style-src 'unsafe-inline'; img-src data: blob:; "
            "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        headers: dict[str, Any] = {
            "Content-Type": kind,
            "Content-Length": len(content),
            "Content-Security-Policy": policy,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
            "Cross-Origin-Resource-Policy": "same-origin",
        }
        if name:
            headers["Content-Disposition"] = f'attachment; filename="{name}"'
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, str(value))
        self.end_headers()
        self.wfile.write(content)


def _page(nonce: str, token: str, session: str) -> str:
    options = inline_json({"token": token, "session": session})
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>dalembert studio</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<link rel="icon" href="data:,">\n'
        f"<style>{asset('dalembert.css')}</style>\n</head>\n"
        f'<body class="da-studio">\n<script nonce="{nonce}">{asset("dalembert.js")}</script>\n'
        f'<script nonce="{nonce}">{asset("editor.js")}</script>\n'
        f'<script nonce="{nonce}">dalembert.studio(document.body, {options});</script>\n'
        "</body>\n</html>\n"
    )
