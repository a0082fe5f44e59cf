import type { Slide } from '@figurehead/sdk';
import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useRef, useState } from 'react';
import { describeError } from '../../api/client.js';
import { count, formatDuration } from '../../lib/format.js';
import { spokenSeconds, wordsOf } from '../../lib/speech-time.js';
import { IconPlayerPause, IconVocabulary, IconVolume } from '../../shell/icons.js';
import { PronunciationsModal } from '../pronunciations/pronunciations.js';
import { useSpeak } from './timeline/use-spoken.js';

/** The script of a slide, with its length, pronunciations and a preview of its speech. */
export function SpeechField(props: {
  readonly slide: Slide;
  readonly onChange: (change: Partial<Slide>, kind?: string) => void;
}) {
  const { slide, onChange } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const [word, setWord] = useState<string>();
  const listen = useSpeak();
  return (
    <Stack gap={8}>
      <Textarea
        ref={field}
        label="Speech"
        placeholder="What is said on this slide?"
        autosize
        minRows={5}
        maxRows={12}
        maxLength={20_000}
        value={slide.speech ?? ''}
        onChange={(event) => onChange({ speech: event.currentTarget.value }, `speech-${slide.id}`)}
      />
      <Group justify="space-between" gap={4}>
        <Text size="xs" c="dimmed">
          {timeOf(slide.speech ?? '')}
        </Text>
        <Group gap={2} ml={-8}>
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            leftSection={<IconPlayerPause size={15} />}
            onClick={() => field.current && onChange({ speech: withPause(field.current) })}
          >
            Add pause
          </Button>
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            leftSection={<IconVocabulary size={15} />}
            onClick={() => setWord(selectionOf(field.current))}
          >
            Pronunciation
          </Button>
          <Button
            size="compact-sm"
            variant="light"
            leftSection={<IconVolume size={15} />}
            disabled={!slide.speech?.trim()}
            loading={listen.isPending}
            onClick={() => listen.mutate(slide)}
          >
            Listen
          </Button>
        </Group>
      </Group>
      <PronunciationsModal
        opened={word !== undefined}
        onClose={() => setWord(undefined)}
        word={word ?? ''}
        language={slide.language ?? undefined}
      />
      {listen.error && (
        <Alert color="red" p="xs">
          <Text size="sm">{describeError(listen.error)}</Text>
        </Alert>
      )}
      {listen.data && (
        // biome-ignore lint/a11y/useMediaCaption: the text is in the field above
        <audio
          controls
          autoPlay
          src={listen.data.url}
          style={{ width: '100%' }}
          aria-label="The speech of this slide"
        />
      )}
    </Stack>
  );
}

/** The script with a pause inserted at the cursor. */
function withPause({ value, selectionEnd }: HTMLTextAreaElement): string {
  const [before, after] = [value.slice(0, selectionEnd), value.slice(selectionEnd)];
  return `${before}${/\s$|^$/.test(before) ? '' : ' '}<break time="0.5s"/> ${after.trimStart()}`;
}

/** The selected text of a field. */
function selectionOf(field: HTMLTextAreaElement | null): string {
  const marked = field?.value.slice(field.selectionStart, field.selectionEnd).trim() ?? '';
  return marked.length <= 100 ? marked : '';
}

function timeOf(speech: string): string {
  const words = wordsOf(speech.replace(/<[^<>]{0,200}>/g, ' '));
  return words === 0 ? 'Silent' : `${count(words, 'word')} · ${formatDuration(spokenSeconds(speech))}`;
}
