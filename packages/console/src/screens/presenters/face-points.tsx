import type { PortraitPoint } from '@figurehead/sdk';
import { namesOf } from '@figurehead/sdk/document';
import { Button, Group, Text } from '@mantine/core';
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import { IconRestore } from '../../shell/icons.js';
import type { Portrait } from './portrait.js';

/** What people call the points, and where those of a face in the middle of a portrait are, for one in which none was found. */
const POINTS: Readonly<
  Record<PortraitPoint['name'], { readonly label: string; readonly x: number; readonly y: number }>
> = {
  leftEyeOuter: { label: 'Left eye, outer corner', x: 0.39, y: 0.42 },
  leftEyeInner: { label: 'Left eye, inner corner', x: 0.46, y: 0.42 },
  rightEyeInner: { label: 'Right eye, inner corner', x: 0.54, y: 0.42 },
  rightEyeOuter: { label: 'Right eye, outer corner', x: 0.61, y: 0.42 },
  leftBrow: { label: 'Left brow', x: 0.42, y: 0.37 },
  rightBrow: { label: 'Right brow', x: 0.58, y: 0.37 },
  noseTip: { label: 'Tip of the nose', x: 0.5, y: 0.52 },
  mouthLeft: { label: 'Left corner of the mouth', x: 0.44, y: 0.6 },
  mouthRight: { label: 'Right corner of the mouth', x: 0.56, y: 0.6 },
  mouthTop: { label: 'Upper lip', x: 0.5, y: 0.585 },
  mouthBottom: { label: 'Lower lip', x: 0.5, y: 0.625 },
  chin: { label: 'Chin', x: 0.5, y: 0.72 },
};

/** Points that are joined, so that a face is seen in them. */
const LINES = [
  ['leftEyeOuter', 'leftEyeInner'],
  ['rightEyeInner', 'rightEyeOuter'],
  ['mouthLeft', 'mouthTop', 'mouthRight', 'mouthBottom', 'mouthLeft'],
] as const satisfies PortraitPoint['name'][][];

/** How near to a point a press takes hold of it, share of the shown width. */
const GRAB = 0.12;
/** Size of the visible area, in faces. */
const SURROUNDINGS = 1.9;
/** How much nearer the glass shows the photo. */
const GLASS_ZOOM = 2.5;
const GLASS_PX = 112;
/** Maximum height of the portrait, percent of the window. */
const MAX_HIGH_VH = 62;

/** All twelve points: those that were found, the others where they usually are. */
export function allPoints(found: readonly PortraitPoint[]): PortraitPoint[] {
  return namesOf(POINTS).map((name) => {
    const { x, y } = POINTS[name];
    return found.find((one) => one.name === name) ?? { name, x, y };
  });
}

/** A part of the portrait, fractions of its width and height. */
interface Region {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** A portrait with its points, near enough to see them: drag them, or choose one with Tab and use the arrow keys (with Shift ten times as far). */
export function FacePoints(props: {
  readonly portrait: Portrait;
  /** As they were found; they decide which part of the portrait is shown. */
  readonly found: readonly PortraitPoint[];
  readonly points: readonly PortraitPoint[];
  readonly onChange: (points: PortraitPoint[]) => void;
  readonly onReset: () => void;
}) {
  const { portrait, points } = props;
  const picture = useRef<HTMLDivElement>(null);
  const handles = useRef(new Map<PortraitPoint['name'], HTMLButtonElement>());
  const [active, setActive] = useState<PortraitPoint['name']>();
  const dragged = useRef<PortraitPoint['name']>(undefined);
  const region = regionAround(props.found, portrait);
  const seen = (point: PortraitPoint) => ({
    x: (point.x - region.left) / region.width,
    y: (point.y - region.top) / region.height,
  });
  const move = (name: PortraitPoint['name'], to: { x: number; y: number }) => {
    const place = { x: limited(to.x), y: limited(to.y) };
    props.onChange(points.map((one) => (one.name === name ? { name, ...place } : one)));
  };
  const placeUnder = (event: PointerEvent) => {
    const box = picture.current?.getBoundingClientRect();
    if (!box) return { x: 0, y: 0 };
    return {
      x: region.left + ((event.clientX - box.left) / box.width) * region.width,
      y: region.top + ((event.clientY - box.top) / box.height) * region.height,
    };
  };
  const grab = (event: PointerEvent<HTMLDivElement>) => {
    const at = placeUnder(event);
    const far = (point: PortraitPoint) =>
      Math.hypot((point.x - at.x) * portrait.width, (point.y - at.y) * portrait.height);
    const [nearest] = points.toSorted((one, other) => far(one) - far(other));
    if (!nearest || far(nearest) > GRAB * region.width * portrait.width) return;
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    dragged.current = nearest.name;
    handles.current.get(nearest.name)?.focus();
  };
  const drop = () => {
    dragged.current = undefined;
  };
  const press = (event: KeyboardEvent, point: PortraitPoint) => {
    const step = ((event.shiftKey ? 10 : 1) * region.width) / 300;
    const by = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
    if (!by) return;
    event.preventDefault();
    move(point.name, { x: point.x + (by[0] ?? 0), y: point.y + (by[1] ?? 0) });
  };
  const now = points.find((point) => point.name === active);
  const ratio = (region.width * portrait.width) / (region.height * portrait.height);
  return (
    <div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dragging is a shortcut; every point is a button inside */}
      <div
        ref={picture}
        className="fh-portrait"
        style={{ aspectRatio: ratio, width: `min(100%, ${MAX_HIGH_VH * ratio}vh)` }}
        onBlur={() => setActive(undefined)}
        onPointerDown={grab}
        onPointerMove={(event) => dragged.current && move(dragged.current, placeUnder(event))}
        onPointerUp={drop}
        onPointerCancel={drop}
      >
        <img
          src={portrait.url}
          alt="The portrait"
          draggable={false}
          style={{
            width: `${100 / region.width}%`,
            height: `${100 / region.height}%`,
            left: `${(-region.left / region.width) * 100}%`,
            top: `${(-region.top / region.height) * 100}%`,
          }}
        />
        <Lines points={points.map((point) => ({ name: point.name, ...seen(point) }))} />
        {points.map((point) => {
          const place = { left: `${seen(point).x * 100}%`, top: `${seen(point).y * 100}%` };
          return (
            <div key={point.name} className="fh-point" data-active={point.name === active} style={place}>
              <button
                type="button"
                className="fh-hidden"
                ref={(element) => {
                  if (element) handles.current.set(point.name, element);
                }}
                aria-label={`${POINTS[point.name].label}, ${percent(point.x)} across, ${percent(point.y)} down`}
                onFocus={() => setActive(point.name)}
                onKeyDown={(event) => press(event, point)}
              />
            </div>
          );
        })}
        {now && <Glass portrait={portrait} at={now} seenAt={seen(now).x} box={picture.current} region={region} />}
      </div>
      <Group justify="space-between" mt={8} wrap="nowrap" align="flex-start">
        <Text size="xs" c="dimmed" role="status">
          {now
            ? `${POINTS[now.name].label}. Left and right are as you see them.`
            : 'Drag a point that sits wrong, or choose it with Tab and move it with the arrow keys.'}
        </Text>
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          leftSection={<IconRestore size={14} />}
          onClick={props.onReset}
          style={{ flex: 'none' }}
        >
          As found
        </Button>
      </Group>
    </div>
  );
}

/** @param props.points as fractions of the width and height of the shown part. */
function Lines({ points }: { readonly points: readonly PortraitPoint[] }) {
  return (
    <svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
      {LINES.map((names) => (
        <polyline
          key={names.join()}
          points={names
            .flatMap((name) => points.filter((point) => point.name === name))
            .map((point) => `${point.x},${point.y}`)
            .join(' ')}
          vectorEffect="non-scaling-stroke"
        />
      ))}
    </svg>
  );
}

/** The surroundings of a point, nearer; in the corner that the point is not in. */
function Glass(props: {
  readonly portrait: Portrait;
  readonly at: PortraitPoint;
  readonly seenAt: number;
  readonly box: HTMLElement | null;
  readonly region: Region;
}) {
  const { at, box, region } = props;
  if (!box) return null;
  const width = (box.clientWidth / region.width) * GLASS_ZOOM;
  const height = (box.clientHeight / region.height) * GLASS_ZOOM;
  return (
    <div
      className="fh-glass"
      aria-hidden="true"
      style={{
        width: GLASS_PX,
        height: GLASS_PX,
        ...(props.seenAt < 0.5 ? { right: 10 } : { left: 10 }),
        backgroundImage: `url("${props.portrait.url}")`,
        backgroundSize: `${width}px ${height}px`,
        backgroundPosition: `${GLASS_PX / 2 - at.x * width}px ${GLASS_PX / 2 - at.y * height}px`,
      }}
    />
  );
}

/** The face with its surroundings, as far as the portrait reaches. */
function regionAround(points: readonly PortraitPoint[], portrait: Portrait): Region {
  const [xs, ys] = [points.map((point) => point.x * portrait.width), points.map((point) => point.y * portrait.height)];
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const side = Math.max(right - left, bottom - top) * SURROUNDINGS;
  const [width, height] = [Math.min(portrait.width, side), Math.min(portrait.height, side)];
  const within = (middle: number, size: number, whole: number) =>
    Math.min(whole - size, Math.max(0, middle - size / 2)) / whole;
  return {
    left: within((left + right) / 2, width, portrait.width),
    top: within((top + bottom) / 2, height, portrait.height),
    width: width / portrait.width,
    height: height / portrait.height,
  };
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function limited(value: number): number {
  return Math.min(1, Math.max(0, value));
}
