"""An agent of LiveKit, as users write it, with one of the avatar plugins: the room's name says which. In each room it speaks the file `SOUND` (s16le, mono,
24 kHz), interrupts itself in the second turn, and prints as a line of JSON what it was told and what it saw and heard of its avatar."""

import asyncio
import json
import os
import sys
import time

from livekit import rtc
from livekit.agents import Agent, AgentServer, AgentSession, JobContext, WorkerOptions, cli
from livekit.plugins import anam, bey, did, figurehead, lemonslice, protoface, runway, simli, tavus

URL, TOKEN = os.environ["URL"], os.environ["TOKEN"]
RATE = 24_000
LOUD = 500  # of 32768

PLUGINS = {
    "figurehead": lambda: figurehead.AvatarSession(url=URL, token=TOKEN, avatar_code="nora"),
    "unknown": lambda: figurehead.AvatarSession(url=URL, token=TOKEN, avatar_code="nobody"),
    "bey": lambda: bey.AvatarSession(api_url=f"{URL}/bey", api_key=TOKEN, avatar_id="nora"),
    "anam": lambda: anam.AvatarSession(
        api_url=f"{URL}/anam", api_key=TOKEN, persona_config=anam.PersonaConfig(name="a", avatarId="nora")
    ),
    "simli": lambda: simli.AvatarSession(
        api_url=f"{URL}/simli", simli_config=simli.SimliConfig(api_key=TOKEN, face_id="nora")
    ),
    "tavus": lambda: tavus.AvatarSession(api_url=f"{URL}/tavus/v2", api_key=TOKEN, face_id="nora", pal_id="p"),
    "runway": lambda: runway.AvatarSession(api_url=f"{URL}/runway", api_key=TOKEN, avatar_id="nora"),
    "did": lambda: did.AvatarSession(api_url=f"{URL}/did", api_key=TOKEN, agent_id="nora"),
    "lemonslice": lambda: lemonslice.AvatarSession(
        api_url=f"{URL}/lemonslice/sessions", api_key=TOKEN, agent_id="nora"
    ),
    "protoface": lambda: protoface.AvatarSession(api_url=f"{URL}/protoface", api_key=TOKEN, avatar_id="nora"),
}


class Viewer:
    """Watches the avatar's tracks."""

    def __init__(self, room: rtc.Room) -> None:
        self.pictures, self.size = 0, None
        # When a loud sample was last heard, s.
        self.loud = 0.0
        self.heard = asyncio.Event()
        self.tasks = []
        room.on("track_subscribed", lambda track, *_: self.tasks.append(asyncio.create_task(self.watch(track))))

    async def watch(self, track: rtc.Track) -> None:
        if track.kind == rtc.TrackKind.KIND_VIDEO:
            async for event in rtc.VideoStream(track):
                self.pictures += 1
                self.size = [event.frame.width, event.frame.height]
        else:
            async for event in rtc.AudioStream(track):
                if max(map(abs, event.frame.data)) > LOUD:
                    self.loud = time.monotonic()
                self.heard.set()

    async def until_loud(self) -> float:
        """Returns when it was heard."""
        began = time.monotonic()
        while self.loud < began:
            await self.next_frame()
        return self.loud

    async def until_silent(self) -> float:
        """Returns when it was last heard; speech has shorter pauses."""
        while time.monotonic() - self.loud < 0.5:
            await self.next_frame()
        return self.loud

    async def next_frame(self) -> None:
        self.heard.clear()
        await self.heard.wait()


async def sound(times: int):
    with open(os.environ["SOUND"], "rb") as file:
        pcm = file.read() * times
    for at in range(0, len(pcm) - 960, 960):
        yield rtc.AudioFrame(pcm[at : at + 960], RATE, 1, 480)


async def entrypoint(ctx: JobContext) -> None:
    plugin = ctx.room.name
    try:
        result = await talk(ctx, PLUGINS[plugin]())
    except Exception as error:
        result = {"error": repr(error)}
    print(json.dumps({"told": {"plugin": plugin, **result}}), flush=True)
    ctx.shutdown()


async def talk(ctx: JobContext, avatar) -> dict:
    viewer = Viewer(ctx.room)
    await ctx.connect()
    session = AgentSession()
    asked = time.monotonic()
    await avatar.start(session, room=ctx.room)
    await session.start(Agent(instructions="Speak."), room=ctx.room)
    await avatar.wait_for_join()
    joined = time.monotonic() - asked
    told = []
    session.output.audio.on(
        "playback_finished", lambda event: told.append([round(event.playback_position, 2), event.interrupted])
    )
    said = time.monotonic()
    first = session.say("Good morning.", audio=sound(1))
    heard = await viewer.until_loud() - said
    await first.wait_for_playout()
    await viewer.until_silent()
    second = session.say("Good morning.", audio=sound(10))
    await viewer.until_loud()
    cut = time.monotonic()
    second.interrupt()
    silent = await viewer.until_silent() - cut
    await second.wait_for_playout()
    milliseconds = {"joined": joined, "heard": heard, "silent": silent}
    return {
        "told": told,
        "interrupted": [first.interrupted, second.interrupted],
        "pictures": viewer.pictures,
        "size": viewer.size,
        "ms": {name: round(1000 * value) for name, value in milliseconds.items()},
    }


if __name__ == "__main__":
    sys.argv = [sys.argv[0], "start"]
    # The tests share the machine, so its load says nothing.
    options = WorkerOptions(entrypoint_fnc=entrypoint, load_fnc=lambda *_: 0.0, num_idle_processes=1, port=0)
    server = AgentServer.from_server_options(options)
    server.on("worker_registered", lambda *_: print(json.dumps({"told": "ready"}), flush=True))
    cli.run_app(server)
