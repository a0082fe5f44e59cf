import { withoutTags } from '@figurehead/sdk/document';
import { Alert, Button, type ButtonProps, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { formatDuration } from '../../../lib/format.js';
import { IconMicrophone, IconPlayerStop, IconRefresh } from '../../../shell/icons.js';
import { SoundPlayer } from '../../../shell/sound-player.js';
import type { Picked } from '../../../shell/uploaded-medium.js';
import { useUploadedMedium } from '../../../shell/uploaded-medium.js';
import { useRecorder } from './use-recorder.js';

/** A button that records the microphone, plays the take, and puts it into the library. */
export function RecordButton(
  props: ButtonProps & {
    /** What is to be read, shown while it is recorded. */
    readonly script: string;
    readonly onPick: (picked: Picked) => void;
    readonly children: ReactNode;
  },
) {
  const { script, onPick, ...look } = props;
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button leftSection={<IconMicrophone size={16} />} onClick={open} {...look} />
      <Modal opened={opened} onClose={close} title="Record the speech">
        <Take
          script={script}
          onPick={(picked) => {
            onPick(picked);
            close();
          }}
        />
      </Modal>
    </>
  );
}

function Take({ script, onPick }: { readonly script: string; readonly onPick: (picked: Picked) => void }) {
  const { recorder, start, stop } = useRecorder();
  const upload = useUploadedMedium(onPick);
  return (
    <Stack>
      {script.trim() !== '' && (
        <Text className="fh-prompt" tabIndex={0} role="region" aria-label="The script">
          {withoutTags(script).trim()}
        </Text>
      )}
      {recorder.state === 'failed' && <Alert color="red">{recorder.message}</Alert>}
      {recorder.state === 'recording' && <Level stream={recorder.stream} startedAt={recorder.startedAt} />}
      {recorder.state === 'done' && <SoundPlayer label="The take" src={recorder.url} />}
      <Group justify="flex-end">
        {recorder.state === 'recording' ? (
          <Button leftSection={<IconPlayerStop size={16} />} onClick={stop}>
            Stop
          </Button>
        ) : (
          <Button
            variant={recorder.state === 'done' ? 'default' : 'filled'}
            leftSection={recorder.state === 'done' ? <IconRefresh size={16} /> : <IconMicrophone size={16} />}
            loading={recorder.state === 'asking'}
            disabled={upload.isPending}
            onClick={() => void start()}
          >
            {recorder.state === 'done' ? 'Record again' : 'Start recording'}
          </Button>
        )}
        {recorder.state === 'done' && (
          <Button loading={upload.isPending} onClick={() => upload.mutate(recorder.file)}>
            Use this take ({formatDuration(recorder.seconds)})
          </Button>
        )}
      </Group>
      {(recorder.state === 'idle' || recorder.state === 'asking') && (
        <Text size="xs" c="dimmed">
          The browser asks whether this page may use the microphone. Silence before and after the speech is cut, and the
          loudness is adjusted.
        </Text>
      )}
    </Stack>
  );
}

/** How loud the microphone is, and how long the take is so far. */
function Level({ stream, startedAt }: { readonly stream: MediaStream; readonly startedAt: number }) {
  const meter = useRef<HTMLMeterElement>(null);
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const context = new AudioContext();
    const analyser = context.createAnalyser();
    context.createMediaStreamSource(stream).connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    let frame = 0;
    const step = () => {
      analyser.getFloatTimeDomainData(samples);
      const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
      // From −50 dBFS to full scale.
      if (meter.current) meter.current.value = Math.max(0, 1 + (20 * Math.log10(peak + 1e-6)) / 50);
      frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    // Not with the frames: a page in the background has none, and still records.
    const clock = setInterval(() => setSeconds(Math.floor((performance.now() - startedAt) / 1000)), 250);
    return () => {
      clearInterval(clock);
      cancelAnimationFrame(frame);
      void context.close();
    };
  }, [stream, startedAt]);
  return (
    <Group gap="sm" wrap="nowrap">
      <meter ref={meter} className="fh-level" min={0} max={1} high={0.94} aria-label="Level of the microphone" />
      <Text size="sm" role="timer">
        {formatDuration(seconds)}
      </Text>
    </Group>
  );
}
