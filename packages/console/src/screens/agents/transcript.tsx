import type { ConversationTurn } from '@figurehead/sdk';
import { Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { formatTime } from '../../lib/format.js';

/** What was said, newest last; `live` keeps the newest in view and has it read aloud by screen readers. */
export function Transcript(props: {
  readonly turns: readonly ConversationTurn[];
  readonly agent: string;
  /** Name of the other side. */
  readonly viewer: string;
  /** Shown while it is empty. */
  readonly empty: string;
  readonly live?: boolean;
}) {
  const { turns, agent, viewer, empty, live = false } = props;
  const box = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new turn is what it reacts to
  useEffect(() => {
    if (live) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [live, turns]);
  return (
    <div
      ref={box}
      className="fh-transcript"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is reached by keyboard
      tabIndex={0}
      role="log"
      aria-label="Transcript"
      aria-live={live ? 'polite' : 'off'}
    >
      {turns.length === 0 && (
        <Text size="sm" c="dimmed">
          {empty}
        </Text>
      )}
      {turns.map((turn) => (
        <div key={`${turn.at} ${turn.role}`} data-role={turn.role}>
          <Text size="xs" c="dimmed" title={formatTime(turn.at)}>
            {turn.role === 'agent' ? agent : viewer}
            {turn.interrupted && ', interrupted'}
          </Text>
          <Text size="sm">{turn.text}</Text>
        </div>
      ))}
    </div>
  );
}
