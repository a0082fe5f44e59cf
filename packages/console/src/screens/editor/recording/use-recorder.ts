import { LONGEST_RECORDING_SECONDS } from '@figurehead/sdk/document';
import { useCallback, useEffect, useRef, useState } from 'react';
import { describeError } from '../../../api/client.js';
import { microphoneMissing, microphoneProblem } from '../../../lib/microphone.js';

/** What a recorder does. */
type Recorder =
  | { readonly state: 'idle' | 'asking' }
  | { readonly state: 'recording'; readonly startedAt: number; readonly stream: MediaStream }
  | { readonly state: 'done'; readonly file: File; readonly url: string; readonly seconds: number }
  | { readonly state: 'failed'; readonly message: string };

/** Formats of browsers, the best first, and the endings of their files. */
const FORMATS = [
  ['audio/webm;codecs=opus', 'webm'],
  ['audio/ogg;codecs=opus', 'ogg'],
  ['audio/mp4', 'm4a'],
] as const;

const INSTEAD = 'upload a file instead';
const NO_FORMAT = 'This browser cannot record sound. Use another browser, or upload a file instead.';

/** Records the microphone. A take ends with `stop`, at the greatest length of a slide's recording, or when the component goes. */
export function useRecorder() {
  const [recorder, setRecorder] = useState<Recorder>({ state: 'idle' });
  const media = useRef<MediaRecorder>(undefined);
  const isThere = useRef(true);

  const start = async () => {
    const [format, missing] = [formatHere(), microphoneMissing(INSTEAD)];
    if (missing !== undefined) return setRecorder({ state: 'failed', message: missing });
    if (format === undefined) return setRecorder({ state: 'failed', message: NO_FORMAT });
    setRecorder({ state: 'asking' });
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: { echoCancellation: false } });
      if (!isThere.current) return end(stream);
      media.current = record(stream, format, (take) => isThere.current && setRecorder(take));
      setRecorder({ state: 'recording', startedAt: performance.now(), stream });
    } catch (error) {
      setRecorder({ state: 'failed', message: microphoneProblem(error, INSTEAD) ?? describeError(error) });
    }
  };
  const stop = useCallback(() => {
    if (media.current?.state === 'recording') media.current.stop();
  }, []);
  useEffect(() => {
    isThere.current = true;
    return () => {
      isThere.current = false;
      stop();
    };
  }, [stop]);
  useEffect(() => {
    if (recorder.state !== 'recording') return;
    const limit = setTimeout(stop, LONGEST_RECORDING_SECONDS * 1000);
    return () => clearTimeout(limit);
  }, [recorder, stop]);
  useEffect(() => {
    if (recorder.state !== 'done') return;
    return () => URL.revokeObjectURL(recorder.url);
  }, [recorder]);
  return { recorder, start, stop };
}

type Format = (typeof FORMATS)[number];

/** The format that this browser records in; nothing where a page cannot record at all. */
function formatHere(): Format | undefined {
  if (typeof MediaRecorder === 'undefined') return undefined;
  return FORMATS.find(([type]) => MediaRecorder.isTypeSupported(type));
}

function record(stream: MediaStream, [type, ending]: Format, onEnd: (recorder: Recorder) => void): MediaRecorder {
  const recorder = new MediaRecorder(stream, { mimeType: type, audioBitsPerSecond: 128_000 });
  const parts: Blob[] = [];
  const startedAt = performance.now();
  recorder.addEventListener('dataavailable', ({ data }) => parts.push(data));
  recorder.addEventListener('stop', () => {
    end(stream);
    const name = `Recording ${new Date().toISOString().slice(0, 16).replace('T', ' ').replace(':', '.')}.${ending}`;
    const file = new File(parts, name, { type: type.split(';')[0] ?? type });
    if (file.size === 0) return onEnd({ state: 'failed', message: 'Nothing was recorded. Try again.' });
    onEnd({ state: 'done', file, url: URL.createObjectURL(file), seconds: (performance.now() - startedAt) / 1000 });
  });
  recorder.start();
  return recorder;
}

function end(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}
