import type { CanvasObject, Slide } from '@figurehead/sdk/document';
import { anchorOf, ENTRANCES, EXITS, isNameOf, optionsOf } from '@figurehead/sdk/document';
import { Group, Select } from '@mantine/core';
import { entranceOf } from '../document.js';
import { useSlide } from '../store.js';
import { useSpanChange } from './object-bar.js';
import { type Moment, momentOfWord, type SlideClock, spanOf } from './spans.js';
import { useSlideClock } from './use-spoken.js';

interface EntranceProps {
  readonly object: CanvasObject;
  readonly selected: number;
}

/** Entrance and exit of an object, and their time: with the slide, or at a word of its speech. */
export function EntranceFields(props: EntranceProps) {
  const slide = useSlide();
  return slide ? <Fields {...props} slide={slide} /> : null;
}

function Fields({ object, selected, slide }: EntranceProps & { readonly slide: Slide }) {
  const clock = useSlideClock(slide);
  const change = useSpanChange(object, selected, clock);
  const span = spanOf(object, clock);
  const exit = exitOf(object.animation);
  return (
    <>
      <Group grow gap="xs" align="flex-end">
        <Select
          label="Entrance"
          data={optionsOf(ENTRANCES)}
          value={entranceOf(object.animation)}
          onChange={(entrance) => entrance && change({ entrance })}
        />
        <MomentSelect
          label="Appears"
          edge="With the slide"
          clock={clock}
          second={span.start}
          onChange={(start) => change({ start: start ?? { second: 0, word: undefined } })}
        />
      </Group>
      <Group grow gap="xs" align="flex-end">
        <Select label="Exit" data={optionsOf(EXITS)} value={exit} onChange={(next) => next && change({ exit: next })} />
        <MomentSelect
          label="Leaves"
          edge="With the slide"
          clock={clock}
          second={span.end}
          onChange={(end) => change({ end: end ?? { second: clock.length, word: undefined } })}
        />
      </Group>
    </>
  );
}

function exitOf(animation: unknown): keyof typeof EXITS {
  const named = typeof animation === 'object' && animation !== null && 'exitType' in animation && animation.exitType;
  return isNameOf(EXITS, named) ? named : 'none';
}

/** Selects a word of the speech as a time; `null` is the start or end of the slide. */
function MomentSelect(props: {
  readonly label: string;
  readonly edge: string;
  readonly clock: SlideClock;
  readonly second: number;
  readonly onChange: (moment: Moment | null) => void;
}) {
  const { clock, second } = props;
  const words = clock.track?.words ?? [];
  const isEdge = second <= 0.03 || second >= clock.length - 0.03;
  const at = words.findIndex((word) => Math.abs(clock.lead + word.start - second) < 0.02);
  const own = !isEdge && at < 0 ? [{ value: 'second', label: `At ${second.toFixed(1)} s` }] : [];
  return (
    <Select
      label={props.label}
      searchable
      data={[
        { value: 'edge', label: props.edge },
        ...own,
        ...words.map((word, index) => ({
          value: String(index),
          label: `At “${anchorOf(words, index)?.text ?? word.text}”`,
        })),
      ]}
      value={isEdge ? 'edge' : at < 0 ? 'second' : String(at)}
      onChange={(value) => {
        if (value === 'edge') props.onChange(null);
        else if (value !== null && value !== 'second') props.onChange(momentOfWord(Number(value), clock));
      }}
    />
  );
}
