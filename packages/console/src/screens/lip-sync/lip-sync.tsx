import type { LipSync } from '@figurehead/sdk';
import { ActionIcon, Card, Group, SegmentedControl, Text, Title, Tooltip, useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { useRead } from '../../api/client.js';
import {
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
  IconPlayerTrackNext,
  IconPlayerTrackPrev,
} from '../../shell/icons.js';
import { Loaded } from '../../shell/states.js';
import { drawTracks, entryAt, heightOf, type Inks, secondAt, type View, valueAt, viewAround } from './tracks.js';
import { usePlayhead, usePlaying } from './use-playhead.js';

/** Visible seconds. */
const SPANS = ['1', '2', '5', '15'];

/** Shows what moved the mouth next to the video: waveform, words, phonemes and mouth curves under one playhead. */
export default function LipSyncDebugger(props: {
  readonly videoId: string;
  readonly film: RefObject<HTMLVideoElement | null>;
}) {
  const sync = useRead(['lip-sync', props.videoId], (api, call) => api.readLipSync({ videoId: props.videoId }, call), {
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Card mt="lg" component="section" aria-label="Lip-sync">
      <Loaded query={sync} height={320}>
        {(data) => <Tracks sync={data} film={props.film} />}
      </Loaded>
    </Card>
  );
}

function Tracks({ sync, film }: { readonly sync: LipSync; readonly film: RefObject<HTMLVideoElement | null> }) {
  const playing = usePlaying(film);
  const [span, setSpan] = useState('2');
  const seek: Seek = {
    second: (second) => {
      if (film.current) film.current.currentTime = Math.min(sync.duration, Math.max(0, second));
    },
    frames: (by) => {
      const player = film.current;
      player?.pause();
      // The middle of a frame, because its start may be rounded to the previous one.
      if (player) seek.second((frameAt(player.currentTime, sync.fps) + by + 0.5) / sync.fps);
    },
  };
  return (
    <>
      <Group justify="space-between" mb="sm" gap="sm">
        <Title order={2}>Lip-sync</Title>
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label="Visible seconds"
            data={SPANS.map((value) => ({ value, label: `${value} s` }))}
            value={span}
            onChange={setSpan}
          />
          <Step label="One frame back" onClick={() => seek.frames(-1)}>
            <IconPlayerTrackPrev size={17} />
          </Step>
          <Step label={playing ? 'Pause' : 'Play'} onClick={() => toggle(film.current)}>
            {playing ? <IconPlayerPauseFilled size={17} /> : <IconPlayerPlayFilled size={17} />}
          </Step>
          <Step label="One frame forward" onClick={() => seek.frames(1)}>
            <IconPlayerTrackNext size={17} />
          </Step>
        </Group>
      </Group>
      <Lanes sync={sync} film={film} span={Number(span)} seek={seek} />
      <Text size="xs" c="dimmed" mt="sm">
        Drag over the tracks to scrub. A curve is the strength of its mouth shape in each frame, from 0 to 1.
      </Text>
    </>
  );
}

/** Moves the playhead. */
interface Seek {
  readonly second: (second: number) => void;
  /** By a number of frames, and pauses. */
  readonly frames: (by: number) => void;
}

/** What changes with each frame: the tracks, and the values under the playhead. */
function Lanes(props: {
  readonly sync: LipSync;
  readonly film: RefObject<HTMLVideoElement | null>;
  /** Visible seconds. */
  readonly span: number;
  readonly seek: Seek;
}) {
  const { sync, film, seek } = props;
  const at = usePlayhead(film);
  const { ref: box, width } = useElementSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useComputedColorScheme('light');
  const height = heightOf(sync);
  const last = useRef<View>({ from: 0, seconds: 2, width: 0, height });
  const seconds = Math.min(props.span, Math.max(0.2, sync.duration));
  const view = viewAround(at, { ...last.current, seconds, width, height }, sync.duration);
  last.current = view;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the scheme decides what the page's colours are
  useEffect(() => {
    const surface = canvas.current;
    const context = surface?.getContext('2d');
    if (!surface || !context || width === 0) return;
    const ratio = window.devicePixelRatio;
    const [columns, rows] = [Math.round(width * ratio), Math.round(height * ratio)];
    // Only a new size: each assignment makes a new bitmap.
    if (surface.width !== columns) surface.width = columns;
    if (surface.height !== rows) surface.height = rows;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    drawTracks(context, sync, view, at, inksOf(surface));
  }, [sync, view.from, view.seconds, width, height, at, scheme]);

  const frame = frameAt(at, sync.fps);
  const press = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const to = { PageUp: at - 1, PageDown: at + 1, Home: 0, End: sync.duration }[event.key];
    if (by !== undefined) seek.frames(by * (event.shiftKey ? 10 : 1));
    else if (to !== undefined) seek.second(to);
    else if (event.key === ' ') toggle(film.current);
    else return;
    event.preventDefault();
  };
  const point = (event: PointerEvent<HTMLDivElement>) => {
    if (event.buttons !== 1) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    film.current?.pause();
    seek.second(secondAt(event.clientX - event.currentTarget.getBoundingClientRect().left, view));
  };
  const word = entryAt(sync.words, at)?.text ?? '—';
  const phoneme = entryAt(sync.phonemes, at);
  return (
    <>
      <div
        ref={box}
        role="slider"
        tabIndex={0}
        className="fh-tracks"
        aria-label="Playhead. Arrow keys go frame by frame, with Shift by ten."
        aria-valuemin={0}
        aria-valuemax={Math.round(sync.duration * 100) / 100}
        aria-valuenow={Math.round(at * 100) / 100}
        aria-valuetext={`${at.toFixed(2)} seconds, frame ${frame}, word ${word}, phoneme ${phoneme?.phoneme ?? 'none'}`}
        onKeyDown={press}
        onPointerDown={point}
        onPointerMove={point}
      >
        <canvas ref={canvas} style={{ display: 'block', width: '100%', height }} />
      </div>
      <dl className="fh-facts">
        {[
          ['Second', at.toFixed(3)],
          ['Frame', `${frame} of ${Math.round(sync.duration * sync.fps)}`],
          ['Word', word],
          ['Phoneme', phoneme?.phoneme ?? '—'],
          ['Viseme', phoneme?.viseme ?? '—'],
          ...sync.curves.map(({ name, values }) => [name, valueAt(values, at, sync.fps).toFixed(2)]),
        ].map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function Step(props: { readonly label: string; readonly onClick: () => void; readonly children: React.ReactNode }) {
  return (
    <Tooltip label={props.label}>
      <ActionIcon variant="default" size="lg" aria-label={props.label} onClick={props.onClick}>
        {props.children}
      </ActionIcon>
    </Tooltip>
  );
}

/** Number of the frame at a second. */
function frameAt(second: number, fps: number): number {
  return Math.floor(second * fps + 1e-6);
}

function toggle(player: HTMLVideoElement | null): void {
  // A video that cannot be played already shows an error.
  if (player?.paused) player.play().catch(() => undefined);
  else player?.pause();
}

function inksOf(element: Element): Inks {
  const style = getComputedStyle(element);
  const ink = (name: string) => style.getPropertyValue(name).trim();
  return {
    text: ink('--mantine-color-text'),
    quiet: ink('--mantine-color-dimmed'),
    line: ink('--fh-line'),
    ground: ink('--fh-surface'),
    soft: ink('--fh-accent-soft'),
    accent: ink('--fh-accent-text'),
    head: ink('--mantine-color-error'),
  };
}
