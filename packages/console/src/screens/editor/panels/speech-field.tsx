import type { Slide } from '@figurehead/sdk';
import { isRecorded, scriptSeconds, withoutTags, wordCount } from '@figurehead/sdk/document';
import { Alert, Button, Group, SegmentedControl, Stack, Text, Textarea } from '@mantine/core';
import { getHotkeyHandler } from '@mantine/hooks';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { describeError } from '../../../api/client.js';
import { count, formatDuration } from '../../../lib/format.js';
import { tell } from '../../../lib/notices.js';
import { IconBold, IconPlayerPause, IconRefresh, IconVocabulary, IconVolume } from '../../../shell/icons.js';
import { SoundPlayer } from '../../../shell/sound-player.js';
import { PronunciationsModal } from '../../pronunciations/pronunciations.js';
import { hasSpeech } from '../document.js';
import { RecordingField } from '../recording/recording-field.js';
import { typing, useEditor } from '../store.js';
import type { SpokenTrack } from '../timeline/spans.js';
import { useSlideClock, useSpeak } from '../timeline/use-spoken.js';
import { type Script, withEmphasis, withPause } from './script-tools.js';

/** The script of a slide, with its length, pronunciations and a preview of its speech. */
export function SpeechField(props: {
  readonly slide: Slide;
  readonly onChange: (change: Partial<Slide>, kind?: string) => void;
}) {
  const { slide, onChange } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const [word, setWord] = useState<string>();
  const listen = useSpeak();
  const undoKeys = useUndoKeys();
  const recorded = isRecorded(slide);
  const { track } = useSlideClock(slide);
  const [picked, setPicked] = useState<string>();
  // A new recording is read at once: its length and its wave are shown, and what is wrong with it.
  useEffect(() => {
    if (picked === undefined || picked !== slide.recording?.src) return;
    setPicked(undefined);
    listen.mutate(slide);
  }, [picked, slide, listen]);
  return (
    <Stack gap={8}>
      <SegmentedControl
        fullWidth
        aria-label="The slide speaks"
        data={[
          { value: 'text', label: 'Text' },
          { value: 'audio', label: 'Recording' },
        ]}
        value={recorded ? 'audio' : 'text'}
        onChange={(voiceType) => onChange({ voiceType })}
      />
      {recorded && (
        <RecordingField
          slide={slide}
          onChange={(change) => {
            onChange(change);
            setPicked(change.recording?.src);
          }}
        />
      )}
      <Textarea
        ref={field}
        label={recorded ? 'Script of the recording' : 'Speech'}
        {...(recorded && {
          description: 'Optional: it times subtitles, words and lips. Without it there are no subtitles.',
        })}
        placeholder={recorded ? 'What is said in the recording?' : 'What is said on this slide?'}
        minRows={5}
        maxRows={12}
        maxLength={20_000}
        value={slide.speech ?? ''}
        onKeyDown={undoKeys}
        onChange={(event) => {
          const speech = event.currentTarget.value;
          onChange({ speech }, typing(`speech-${slide.id}`, speech));
        }}
      />
      <Group justify="space-between" gap={4}>
        <Text size="xs" c="dimmed">
          {recorded ? lengthOf(track) : timeOf(slide.speech ?? '')}
        </Text>
        <Group gap={2} ml={-8}>
          {!recorded && <ScriptTools field={field} onChange={onChange} onWord={setWord} />}
          <Button
            size="compact-sm"
            variant="light"
            leftSection={recorded ? <IconRefresh size={15} /> : <IconVolume size={15} />}
            disabled={!hasSpeech(slide)}
            loading={listen.isPending}
            onClick={() => listen.mutate(slide)}
          >
            {recorded ? 'Update timing' : 'Listen'}
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
      {listen.data && !recorded && <SoundPlayer autoPlay label="The speech of this slide" src={listen.data.url} />}
    </Stack>
  );
}

/** Ctrl Z in a field undoes the editor's steps, so that the button and the keyboard do the same. */
function useUndoKeys() {
  const { undo, redo } = useEditor();
  return getHotkeyHandler([
    ['mod+Z', undo],
    ['mod+shift+Z', redo],
    ['mod+Y', redo],
  ]);
}

/** Pause, emphasis and pronunciation at the selection of the script. */
function ScriptTools(props: {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly onChange: (change: Partial<Slide>) => void;
  readonly onWord: (word: string) => void;
}) {
  const { field, onChange } = props;
  const apply = (tool: (script: Script) => Script | undefined) => {
    const { current } = field;
    const next = current && tool({ text: current.value, start: current.selectionStart, end: current.selectionEnd });
    if (!next) return tell({ id: 'script', message: 'Click a word in the script first.' });
    flushSync(() => onChange({ speech: next.text }));
    current.focus();
    current.setSelectionRange(next.start, next.end);
  };
  const tools = [
    { name: 'Pause', icon: IconPlayerPause, use: () => apply(withPause) },
    { name: 'Emphasis', icon: IconBold, use: () => apply(withEmphasis) },
    { name: 'Pronunciation', icon: IconVocabulary, use: () => props.onWord(selectionOf(field.current)) },
  ];
  return tools.map(({ name, icon: Icon, use }) => (
    <Button
      key={name}
      size="compact-sm"
      px={6}
      variant="subtle"
      color="gray"
      leftSection={<Icon size={15} />}
      onClick={use}
    >
      {name}
    </Button>
  ));
}

/** The selected text of a field. */
function selectionOf(field: HTMLTextAreaElement | null): string {
  const marked = field?.value.slice(field.selectionStart, field.selectionEnd).trim() ?? '';
  return marked.length <= 100 ? marked : '';
}

function lengthOf(track: SpokenTrack | undefined): string {
  return track?.url === undefined ? '' : `${formatDuration(track.duration)} of speech`;
}

function timeOf(speech: string): string {
  const words = wordCount(withoutTags(speech));
  return words === 0 ? 'Silent' : `${count(words, 'word')} · ${formatDuration(scriptSeconds(speech))}`;
}
