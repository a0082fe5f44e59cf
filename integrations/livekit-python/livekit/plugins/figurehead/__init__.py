"""Avatars of a Figurehead server for LiveKit agents."""

from __future__ import annotations

import asyncio
import os
from typing import Any
from uuid import uuid4

import aiohttp
from livekit import api, rtc
from livekit.agents import (
    DEFAULT_API_CONNECT_OPTIONS,
    AgentSession,
    APIConnectionError,
    APIConnectOptions,
    APIStatusError,
    Plugin,
    get_job_context,
    utils,
)
from livekit.agents.voice.avatar import AvatarSession as BaseAvatarSession
from livekit.agents.voice.avatar import DataStreamAudioOutput
from livekit.agents.voice.room_io import ATTRIBUTE_PUBLISH_ON_BEHALF

__all__ = ["AvatarSession", "__version__"]
__version__ = "0.1.0"

# Hz. What most speech engines deliver, so that nothing is converted.
SAMPLE_RATE = 24_000


class AvatarSession(BaseAvatarSession):
    """A presenter that speaks the agent's sound in the agent's room."""

    def __init__(
        self,
        *,
        avatar_code: str | None = None,
        stream_options: dict[str, Any] | None = None,
        url: str | None = None,
        token: str | None = None,
        identity: str = "figurehead-avatar",
        conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS,
    ) -> None:
        """
        Args:
            avatar_code: code of a presenter (``GET /avatars``); the server's first one if absent.
            stream_options: further fields of ``POST /streams``, such as ``width`` in pixels.
            url: address of the Figurehead server; ``FIGUREHEAD_URL`` if absent.
            token: API token; ``FIGUREHEAD_TOKEN`` if absent.
            identity: participant of the room that publishes the presenter.
        Raises:
            ValueError: address or token is missing.
        """
        super().__init__()
        self._options = {**(stream_options or {}), **({"avatarCode": avatar_code} if avatar_code else {})}
        self._url = _required("url", "FIGUREHEAD_URL", url).rstrip("/")
        self._token = _required("token", "FIGUREHEAD_TOKEN", token)
        self._identity = identity
        self._conn_options = conn_options

    @property
    def avatar_identity(self) -> str:
        return self._identity

    @property
    def provider(self) -> str:
        return "figurehead"

    async def start(
        self,
        agent_session: AgentSession,
        room: rtc.Room,
        *,
        livekit_url: str | None = None,
        livekit_api_key: str | None = None,
        livekit_api_secret: str | None = None,
    ) -> None:
        """
        Lets the presenter join the room, and returns when it is there. Call it before ``agent_session.start``.

        Raises:
            APIStatusError: the server refused; its message says why.
            APIConnectionError: the server cannot be reached.
            ValueError: LiveKit's address or a key is missing.
        """
        await super().start(agent_session, room)
        livekit_url = _required("livekit_url", "LIVEKIT_URL", livekit_url)
        key = _required("livekit_api_key", "LIVEKIT_API_KEY", livekit_api_key)
        secret = _required("livekit_api_secret", "LIVEKIT_API_SECRET", livekit_api_secret)
        token = (
            api.AccessToken(api_key=key, api_secret=secret)
            .with_kind("agent")
            .with_identity(self._identity)
            .with_name("Figurehead")
            .with_grants(api.VideoGrants(room_join=True, room=room.name))
            .with_attributes({ATTRIBUTE_PUBLISH_ON_BEHALF: get_job_context().local_participant_identity})
            .to_jwt()
        )
        stream = await self._call("POST", "/streams", self._options)
        try:
            await self._call("POST", f"/streams/room/{stream['id']}", {"url": livekit_url, "token": token})
        except BaseException:
            await self._call("DELETE", f"/streams/{stream['id']}")
            raise
        agent_session.output.replace_audio_tail(
            DataStreamAudioOutput(
                room=room,
                destination_identity=self._identity,
                sample_rate=SAMPLE_RATE,
                wait_remote_track=rtc.TrackKind.KIND_VIDEO,
                wait_playback_start=True,
            )
        )

    async def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Repeats what may succeed later; the key keeps a repeated call from opening a second stream."""
        headers = {"Authorization": f"Bearer {self._token}", "Idempotency-Key": str(uuid4())}
        timeout = aiohttp.ClientTimeout(total=30, sock_connect=self._conn_options.timeout)
        for attempt in range(self._conn_options.max_retry + 1):
            try:
                async with utils.http_context.http_session().request(
                    method, f"{self._url}/api/v1{path}", headers=headers, json=body, timeout=timeout
                ) as answer:
                    if answer.ok:
                        return await answer.json()
                    text = await answer.text()
                    failure = APIStatusError(f"Figurehead refused {path}: {text}", status_code=answer.status, body=text)
            except (aiohttp.ClientError, asyncio.TimeoutError) as error:
                failure = APIConnectionError(f"Figurehead cannot be reached at {self._url}: {error!r}")
            if not failure.retryable or attempt == self._conn_options.max_retry:
                raise failure
            await asyncio.sleep(self._conn_options.retry_interval)
        raise AssertionError("unreachable")


def _required(name: str, variable: str, value: str | None) -> str:
    value = value or os.environ.get(variable)
    if not value:
        raise ValueError(f"expected {name} or the environment variable {variable}")
    return value


class _FigureheadPlugin(Plugin):
    def __init__(self) -> None:
        super().__init__(__name__, __version__, __package__ or __name__)


Plugin.register_plugin(_FigureheadPlugin())
