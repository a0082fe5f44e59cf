"""A video service for Pipecat: a presenter of a Figurehead server speaks what the bot says."""

import asyncio
import json
import os
from collections import deque
from typing import Any

import aiohttp
from aiortc import RTCBundlePolicy, RTCConfiguration, RTCIceServer, RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import MediaStreamError, MediaStreamTrack
from av import AudioResampler
from loguru import logger
from pipecat.audio.utils import create_stream_resampler
from pipecat.frames.frames import (
    CancelFrame,
    EndFrame,
    Frame,
    InterruptionFrame,
    OutputImageRawFrame,
    SpeechOutputAudioRawFrame,
    StartFrame,
    TTSAudioRawFrame,
    TTSStoppedFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessorSetup
from pipecat.services.ai_service import AIService
from pipecat.services.settings import ServiceSettings

__all__ = ["FigureheadVideoService"]

# Hz.
SAMPLE_RATE = 24_000
SAMPLE_BYTES = 2
# Bytes of sound in one message: half a second.
MAX_MESSAGE = SAMPLE_RATE
# Seconds. The server ends an utterance when nothing comes for 10 s; a bot may pause longer between two sentences.
KEEP_ALIVE = 4
# aiortc holds back four packets of sound, 80 ms, but no picture. Two pictures, held here, are as long.
PICTURES_BEHIND = 2


class FigureheadVideoService(AIService):
    """Takes the sound of a speech service (``TTSAudioRawFrame``), and gives the presenter's pictures and its sound, which fit each other.

    Put it between the speech service and the output of the transport. An interruption silences the presenter; an ``EndFrame`` waits until it has spoken.
    """

    def __init__(
        self,
        *,
        avatar_code: str | None = None,
        stream_options: dict[str, Any] | None = None,
        url: str | None = None,
        token: str | None = None,
        **kwargs,
    ):
        """
        Args:
            avatar_code: code of a presenter (``GET /avatars``); the server's first one if absent.
            stream_options: further fields of ``POST /streams``, such as ``width`` in pixels.
            url: address of the Figurehead server; ``FIGUREHEAD_URL`` if absent.
            token: API token; ``FIGUREHEAD_TOKEN`` if absent.
        Raises:
            ValueError: address or token is missing.
        """
        super().__init__(settings=ServiceSettings(model=None), **kwargs)
        self._options = {**(stream_options or {}), **({"avatarCode": avatar_code} if avatar_code else {})}
        self._url = _required("url", "FIGUREHEAD_URL", url).rstrip("/")
        self._token = _required("token", "FIGUREHEAD_TOKEN", token)
        self._resampler = create_stream_resampler()
        self._http: aiohttp.ClientSession | None = None
        self._peer: RTCPeerConnection | None = None
        self._stream: str | None = None
        # Pieces of sound; `None` ends an utterance.
        self._sound: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._is_silent = asyncio.Event()
        self._has_started = self._is_interrupted = False
        self._speaker: asyncio.Task | None = None
        self._tasks: list[asyncio.Task] = []

    async def process_frame(self, frame: Frame, direction: FrameDirection):
        await super().process_frame(frame, direction)
        if isinstance(frame, TTSAudioRawFrame):
            self._sound.put_nowait(await self._resampler.resample(frame.audio, frame.sample_rate, SAMPLE_RATE))
            return
        if isinstance(frame, TTSStoppedFrame):
            self._sound.put_nowait(None)
        elif isinstance(frame, InterruptionFrame):
            await self._interrupt()
        await self.push_frame(frame, direction)
        # Pictures must not be sent before the first frame of all.
        self._has_started = self._has_started or isinstance(frame, StartFrame)

    async def setup(self, setup: FrameProcessorSetup):
        await super().setup(setup)
        await self._connect()

    async def stop(self, frame: EndFrame):
        await super().stop(frame)
        self._sound.put_nowait(None)
        if self._speaker:
            await self._sound.join()
            await self._is_silent.wait()
        await self._close()

    async def cancel(self, frame: CancelFrame):
        await super().cancel(frame)
        await self._close()

    async def cleanup(self):
        await super().cleanup()
        await self._close()

    async def _connect(self):
        self._http = aiohttp.ClientSession(f"{self._url}/api/v1/", headers={"Authorization": f"Bearer {self._token}"})
        try:
            servers = (await self._call("POST", "pipecat/start"))["iceConfig"]["iceServers"]
            ice = [RTCIceServer(one["urls"], one.get("username"), one.get("credential")) for one in servers]
            self._peer = RTCPeerConnection(RTCConfiguration(iceServers=ice, bundlePolicy=RTCBundlePolicy.MAX_BUNDLE))
            for kind in ("audio", "video"):
                self._peer.addTransceiver(kind, direction="recvonly")
            self._peer.on("track", self._receive)
            await self._peer.setLocalDescription(await self._peer.createOffer())
            offer = {"type": "offer", "sdp": self._peer.localDescription.sdp, "requestData": self._options}
            answer = await self._call("POST", "pipecat/offer", offer)
            self._stream = answer["pc_id"]
            await self._peer.setRemoteDescription(RTCSessionDescription(answer["sdp"], answer["type"]))
            self._is_silent.set()
            self._tasks.append(self.create_task(self._follow()))
            self._speaker = self.create_task(self._speak())
        except Exception as error:
            await self._close()
            await self.push_error(error_msg=f"Figurehead opened no stream: {error}", exception=error)

    def _receive(self, track: MediaStreamTrack):
        self._tasks.append(self.create_task(self._hear(track) if track.kind == "audio" else self._see(track)))

    async def _hear(self, track: MediaStreamTrack):
        to_mono = AudioResampler("s16", "mono", SAMPLE_RATE)
        async for frame in _frames_of(track):
            for mono in to_mono.resample(frame):
                if self._has_started and not self._is_interrupted:
                    await self.push_frame(SpeechOutputAudioRawFrame(mono.to_ndarray().tobytes(), SAMPLE_RATE, 1))

    async def _see(self, track: MediaStreamTrack):
        waiting: deque = deque()
        async for frame in _frames_of(track):
            waiting.append(frame)
            picture = waiting.popleft() if len(waiting) > PICTURES_BEHIND else None
            if picture and self._has_started:
                picture = picture.to_ndarray(format="rgb24")
                await self.push_frame(OutputImageRawFrame(picture.tobytes(), picture.shape[1::-1], "RGB"))

    async def _follow(self):
        """Reads what the server tells about the stream, until it ends."""
        timeout = aiohttp.ClientTimeout(total=None)
        reason = "it was closed"
        try:
            async with self._http.get(f"streams/events/{self._stream}", timeout=timeout) as events:
                async for line in events.content:
                    event = json.loads(line[5:]) if line.startswith(b"data:") else {}
                    if event.get("type") == "queue":
                        self._is_silent.clear() if event["ids"] else self._is_silent.set()
        except aiohttp.ClientError as error:
            reason = repr(error)
        self._is_silent.set()
        await self.push_error(error_msg=f"Figurehead's stream has ended: {reason}")

    async def _speak(self):
        while True:
            piece = await self._sound.get()
            try:
                if piece is not None:
                    await self._send_utterance(piece)
            except (aiohttp.ClientError, ConnectionError) as error:
                await self.push_error(error_msg=f"Figurehead took no sound: {error}", exception=error)
            finally:
                self._sound.task_done()

    async def _send_utterance(self, piece: bytes | None):
        path = f"streams/sound/{self._stream}"
        async with self._http.ws_connect(path, params={"sampleRate": str(SAMPLE_RATE)}) as socket:
            sent = allowed = 0
            while piece is not None:
                for part in (piece[at : at + MAX_MESSAGE] for at in range(0, len(piece), MAX_MESSAGE)):
                    sent += len(part)
                    while sent > allowed:
                        allowed = SAMPLE_BYTES * int(SAMPLE_RATE * (await _told(socket))["limit"])
                    await socket.send_bytes(part)
                piece = await self._next_piece(socket)
            await socket.send_json({"type": "end"})
            async for _ in socket:
                pass

    async def _next_piece(self, socket: aiohttp.ClientWebSocketResponse) -> bytes | None:
        while True:
            try:
                piece = await asyncio.wait_for(self._sound.get(), KEEP_ALIVE)
                self._sound.task_done()
                return piece
            except asyncio.TimeoutError:
                await socket.send_bytes(b"")

    async def _interrupt(self):
        if not self._speaker:
            return
        self._is_interrupted = True
        await self.cancel_task(self._speaker)
        self._sound = asyncio.Queue()
        try:
            await self._call("DELETE", f"streams/render/{self._stream}")
        except (aiohttp.ClientError, ConnectionError) as error:
            await self.push_error(error_msg=f"Figurehead was not interrupted: {error}", exception=error)
        self._is_interrupted = False
        self._speaker = self.create_task(self._speak())

    async def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        async with self._http.request(method, path, json=body) as answer:
            if not answer.ok:
                raise ConnectionError(f"{method} {path}: {answer.status} {await answer.text()}")
            return await answer.json()

    async def _close(self):
        """Idempotent."""
        tasks = [*self._tasks, *([self._speaker] if self._speaker else [])]
        self._tasks, self._speaker = [], None
        for task in tasks:
            await self.cancel_task(task)
        if self._peer:
            await self._peer.close()
        if self._http and self._stream:
            try:
                await self._call("DELETE", f"streams/{self._stream}")
            except (aiohttp.ClientError, ConnectionError) as error:
                # It ends by itself without a viewer.
                logger.warning(f"Figurehead's stream was not closed: {error!r}")
        if self._http:
            await self._http.close()
        self._peer = self._http = self._stream = None


async def _frames_of(track: MediaStreamTrack):
    while True:
        try:
            yield await track.recv()
        except MediaStreamError:
            return


async def _told(socket: aiohttp.ClientWebSocketResponse) -> dict[str, Any]:
    message = await socket.receive()
    if message.type != aiohttp.WSMsgType.TEXT:
        raise ConnectionError(f"the socket was closed with {socket.close_code}: {message.extra or 'no reason'}")
    return message.json()


def _required(name: str, variable: str, value: str | None) -> str:
    value = value or os.environ.get(variable)
    if not value:
        raise ValueError(f"expected {name} or the environment variable {variable}")
    return value
