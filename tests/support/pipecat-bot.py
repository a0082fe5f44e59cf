"""A bot of Pipecat with the video service. It speaks the file `SOUND` (s16le, mono, 24 kHz) to its end, then ten times and is interrupted, then once more
before it ends; and prints as a line of JSON what came out of its pipeline."""

import asyncio
import json
import os
import time

import numpy
from loguru import logger
from pipecat.frames.frames import (
    EndFrame,
    InterruptionFrame,
    OutputImageRawFrame,
    SpeechOutputAudioRawFrame,
    TTSAudioRawFrame,
    TTSStartedFrame,
    TTSStoppedFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.workers.runner import WorkerRunner
from pipecat_figurehead import FigureheadVideoService

RATE = 24_000
LOUD = 500  # of 32768


class Viewer(FrameProcessor):
    def __init__(self):
        super().__init__()
        self.pictures, self.size, self.changes, self.heard = 0, None, 0, 0.0
        # When a loud sample was last heard, s.
        self.loud = 0.0
        self.last = None
        self.came = asyncio.Event()
        self.errors = []

    async def process_frame(self, frame, direction):
        await super().process_frame(frame, direction)
        if isinstance(frame, OutputImageRawFrame):
            self.pictures += 1
            self.size = list(frame.size)
            self.changes += frame.image != self.last
            self.last = frame.image
        elif isinstance(frame, SpeechOutputAudioRawFrame):
            if abs(numpy.frombuffer(frame.audio, numpy.int16)).max() > LOUD:
                self.loud = time.monotonic()
                self.heard += frame.num_frames / frame.sample_rate
        self.came.set()
        await self.push_frame(frame, direction)

    async def until(self, is_met):
        while not is_met():
            if self.errors:
                raise RuntimeError(self.errors)
            self.came.clear()
            await self.came.wait()


def turn(times):
    with open(os.environ["SOUND"], "rb") as file:
        pcm = file.read() * times
    # As a speech service sends it: faster than it is played.
    pieces = [TTSAudioRawFrame(pcm[at : at + RATE], RATE, 1) for at in range(0, len(pcm), RATE)]
    return [TTSStartedFrame(), *pieces, TTSStoppedFrame()]


async def main():
    face = FigureheadVideoService(avatar_code="nora", url=os.environ["URL"], token=os.environ["TOKEN"])
    viewer = Viewer()
    worker = PipelineWorker(Pipeline([face, viewer]), params=PipelineParams(audio_out_sample_rate=RATE))

    @worker.event_handler("on_pipeline_error")
    async def on_error(_, frame):
        viewer.errors.append(frame.error)
        viewer.came.set()

    runner = WorkerRunner(handle_sigint=False)

    async def use():
        await viewer.until(lambda: viewer.pictures > 0)

        async def speak(times):
            began = time.monotonic()
            await worker.queue_frames(turn(times))
            await viewer.until(lambda: viewer.loud > began)
            return viewer.loud - began

        def is_silent():
            return time.monotonic() - viewer.loud > 0.5

        heard = await speak(1)
        await viewer.until(is_silent)
        whole = viewer.heard
        await speak(10)
        cut = time.monotonic()
        await worker.queue_frame(InterruptionFrame())
        await viewer.until(is_silent)
        silent = viewer.loud - cut
        interrupted = viewer.heard - whole
        await speak(1)
        await worker.queue_frame(EndFrame())
        milliseconds = {"heard": round(1000 * heard), "silent": round(1000 * silent)}
        return {"whole": whole, "interrupted": interrupted, "ms": milliseconds}

    async def run():
        await runner.add_workers(worker)
        await runner.run()

    async def use_or_cancel():
        try:
            return await use()
        except RuntimeError as error:
            await runner.cancel()
            return {"error": str(error)}

    told, _ = await asyncio.gather(use_or_cancel(), run())
    told["last"] = viewer.heard - told.get("whole", 0) - told.get("interrupted", 0)
    view = {"pictures": viewer.pictures, "changes": viewer.changes, "size": viewer.size}
    print(json.dumps({"told": {**told, **view, "errors": viewer.errors}}), flush=True)


asyncio.run(main())
