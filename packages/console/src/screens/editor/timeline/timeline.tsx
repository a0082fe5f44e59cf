import type { Slide } from '@figurehead/sdk';
import { ActionIcon, Group, Text, Tooltip } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { IconPlayerPauseFilled, IconPlayerPlayFilled } from '../../../shell/icons.js';
import { Problem } from '../../../shell/states.js';
import { namesOf, objectsOf } from '../document.js';
import { useEditorState } from '../store.js';
import { ObjectBar } from './object-bar.js';
import { Playhead } from './playhead.js';
import { SpeechTrack } from './speech-track.js';
import { usePlayer } from './use-player.js';
import { useSlideClock } from './use-spoken.js';

/** Minimum scale at which times can be selected precisely. */
const MIN_PX_PER_SECOND = 44;

/** The timeline of a slide: its words and sound, a bar for each object from entrance to exit, and the playhead. */
export function Timeline({ slide }: { readonly slide: Slide }) {
  const clock = useSlideClock(slide);
  const player = usePlayer(slide, clock);
  const { ref, width } = useElementSize<HTMLDivElement>();
  const scale = Math.max(MIN_PX_PER_SECOND, (width - 1) / clock.length);
  const objects = objectsOf(slide);
  const names = namesOf(objects);
  return (
    <section aria-label="Timeline" className="fh-timeline">
      <Group gap="sm" mb={6} wrap="nowrap">
        <Tooltip label={player.isPlaying ? 'Pause' : 'Play the slide'}>
          <ActionIcon
            size="lg"
            variant="light"
            color="verdigris"
            aria-label={player.isPlaying ? 'Pause' : 'Play the speech'}
            loading={player.speak.isPending}
            onClick={player.toggle}
          >
            {player.isPlaying ? <IconPlayerPauseFilled size={17} /> : <IconPlayerPlayFilled size={17} />}
          </ActionIcon>
        </Tooltip>
        <Seconds length={clock.length} />
        {clock.track && !clock.track.url && (
          <Text size="xs" c="dimmed">
            Word times are estimates until you play the speech.
          </Text>
        )}
      </Group>
      <Problem error={player.speak.error} mb="sm" />
      <div className="fh-timeline-scroll" ref={ref}>
        <div className="fh-timeline-field" style={{ width: clock.length * scale }}>
          <Playhead clock={clock} scale={scale} onScrub={player.scrub} />
          <SpeechTrack clock={clock} scale={scale} onSeek={player.scrub} />
          <ul className="fh-plain" aria-label="Object timing">
            {objects
              .map((object, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: objects have no ids; they are identified by position
                <ObjectBar key={index} name={names[index] ?? ''} {...{ object, index, clock, scale }} />
              ))
              .reverse()}
          </ul>
        </div>
      </div>
    </section>
  );
}

function Seconds({ length }: { readonly length: number }) {
  const at = useEditorState(({ playhead }) => playhead);
  return (
    <Text size="sm" c="dimmed" miw={92} style={{ fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' }}>
      {Math.min(at, length).toFixed(1)} / {length.toFixed(1)} s
    </Text>
  );
}
