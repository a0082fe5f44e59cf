import type { Avatar, Slide } from '@figurehead/sdk';
import { ENTRANCES, EXPRESSIONS, isNameOf, optionsOf, TRANSITIONS } from '@figurehead/sdk/document';
import { Alert, Button, ColorInput, Group, NumberInput, Select, Stack, Text, Textarea } from '@mantine/core';
import { IconPhoto, IconVocabulary, IconVolume } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { avatarOf, looksOf, useVoices, voiceKey, voiceOf } from '../../api/catalogue.js';
import { describeError, useAction, useApi } from '../../api/client.js';
import { count, formatDuration } from '../../lib/format.js';
import { spokenSeconds, wordsOf } from '../../lib/speech-time.js';
import { PresenterPicker, VoiceSelect } from '../../shell/cast-pickers.js';
import { MediaPicker } from '../../shell/media-picker.js';
import { PronunciationsModal } from '../pronunciations/pronunciations.js';
import { backgroundOf, entranceOf } from './document.js';

const BACKGROUNDS = ['#e7efe9', '#ffffff', '#f6ead7', '#dfe8f2', '#22211e', '#14574b', '#f3c77b', '#b8442f'];

/** What a slide says, who says it, in which voice, before which background. */
export function SlidePanel(props: {
  readonly videoId: string;
  readonly slide: Slide;
  readonly isFirst: boolean;
  readonly avatars: readonly Avatar[];
  readonly onChange: (change: Partial<Slide>, kind?: string) => void;
  readonly onBackground: (background: string) => void;
  /** Stores what is not stored yet, so that the server speaks what is on the screen. */
  readonly flush: () => Promise<void>;
}) {
  const { slide, onChange } = props;
  const api = useApi();
  const voices = useVoices().data ?? [];
  const key = slide.voice
    ? voices.find(
        (voice) =>
          voice.voice === slide.voice &&
          voice.voiceProvider === slide.voiceProvider &&
          (!slide.language || voice.language === slide.language),
      )
    : undefined;
  const background = backgroundOf(slide);
  const presenter = slide.hasAvatar === false ? undefined : avatarOf(props.avatars, slide.avatar?.code);
  const looks = presenter ? looksOf(presenter) : [];
  const field = useRef<HTMLTextAreaElement>(null);
  const [word, setWord] = useState<string>();
  const listen = useAction(
    async () => {
      await props.flush();
      return api.synthesizeSlide({ videoId: props.videoId, slideId: String(slide.id) });
    },
    { quiet: true },
  );
  return (
    <Stack gap="lg">
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
        <Group justify="space-between" wrap="nowrap">
          <Text size="xs" c="dimmed">
            {timeOf(slide.speech ?? '')}
          </Text>
          <Group gap={6} wrap="nowrap">
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
              onClick={() => listen.mutate()}
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
          // biome-ignore lint/a11y/useMediaCaption: the words stand in the field above
          <audio
            controls
            autoPlay
            src={listen.data.url}
            style={{ width: '100%' }}
            aria-label="The speech of this slide"
          />
        )}
      </Stack>
      <VoiceSelect
        value={key ? voiceKey(key) : null}
        onChange={(voice) =>
          onChange({ voice: voice.voice, voiceProvider: voice.voiceProvider, language: voice.language })
        }
      />
      <PresenterPicker
        optional
        value={presenter?.code ?? null}
        onChange={(code, avatar) => {
          const voice = slide.voice ? undefined : voiceOf(avatar, voices);
          onChange({
            avatar: code === null ? null : { code },
            hasAvatar: code !== null,
            ...(voice && { voice: voice.voice, voiceProvider: voice.voiceProvider, language: voice.language }),
          });
        }}
      />
      {presenter && looks.length > 1 && (
        <Select
          label="Look"
          allowDeselect={false}
          data={looks.map(({ code, name }) => ({ value: code, label: name }))}
          value={slide.avatar?.code ?? presenter.code}
          onChange={(code) => code && onChange({ avatar: { ...slide.avatar, code } })}
        />
      )}
      <Select
        label="Expression"
        description="How the presenter looks while speaking."
        allowDeselect={false}
        data={optionsOf(EXPRESSIONS)}
        value={slide.expression ?? 'neutral'}
        onChange={(expression) => expression && onChange({ expression })}
      />
      <Background background={background} onChange={props.onBackground} />
      <Group grow align="flex-start">
        <Select
          label="Transition"
          allowDeselect={false}
          disabled={props.isFirst}
          data={optionsOf(TRANSITIONS)}
          value={!props.isFirst && isNameOf(TRANSITIONS, slide.transition) ? slide.transition : 'none'}
          onChange={(transition) => transition && onChange({ transition })}
        />
        <Select
          label="Entrance"
          allowDeselect={false}
          data={optionsOf(ENTRANCES)}
          value={entranceOf(slide.animation)}
          onChange={(animation) => animation && onChange({ animation })}
        />
      </Group>
      {!slide.speech?.trim() && (
        <NumberInput
          label="Seconds on screen"
          description="How long a slide without speech is shown."
          min={0.5}
          max={3600}
          step={1}
          value={slide.duration ?? ''}
          onChange={(value) => onChange({ duration: typeof value === 'number' ? value : null }, `duration-${slide.id}`)}
        />
      )}
    </Stack>
  );
}

/** The word that is marked in a field. */
function selectionOf(field: HTMLTextAreaElement | null): string {
  const marked = field?.value.slice(field.selectionStart, field.selectionEnd).trim() ?? '';
  return marked.length <= 100 ? marked : '';
}

/** A colour, or a picture or clip that covers the slide. */
function Background(props: { readonly background: string; readonly onChange: (background: string) => void }) {
  const { background, onChange } = props;
  const isColor = background.startsWith('#');
  const [picking, setPicking] = useState(false);
  return (
    <div>
      <ColorInput
        label="Background"
        format="hex"
        swatches={BACKGROUNDS}
        swatchesPerRow={8}
        value={isColor ? background : '#ffffff'}
        onChangeEnd={onChange}
        eyeDropperButtonProps={{ 'aria-label': 'Pick a colour from the screen' }}
      />
      <Group gap="xs" mt={8}>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconPhoto size={15} />}
          onClick={() => setPicking(true)}
        >
          {isColor ? 'A picture instead' : 'Another picture'}
        </Button>
        {!isColor && (
          <Button size="compact-sm" variant="subtle" color="gray" onClick={() => onChange('#ffffff')}>
            Only a colour
          </Button>
        )}
      </Group>
      <MediaPicker
        kind="image"
        opened={picking}
        onClose={() => setPicking(false)}
        onPick={({ url }) => onChange(url)}
      />
    </div>
  );
}

function timeOf(speech: string): string {
  const words = wordsOf(speech);
  return words === 0 ? 'Silent' : `${count(words, 'word')} · ${formatDuration(spokenSeconds(speech))}`;
}
