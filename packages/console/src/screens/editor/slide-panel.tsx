import type { Avatar, Slide } from '@figurehead/sdk';
import { Alert, Button, ColorInput, Group, NumberInput, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { IconVolume } from '@tabler/icons-react';
import { useVoices, voiceKey, voiceOf } from '../../api/catalogue.js';
import { describeError, useAction, useApi } from '../../api/client.js';
import { formatDuration } from '../../lib/format.js';
import { PresenterPicker, VoiceSelect } from '../../shell/cast-pickers.js';
import { backgroundOf } from './document.js';
import { ENTRANCES, entranceOf } from './entrances.js';

const BACKGROUNDS = ['#e7efe9', '#ffffff', '#f6ead7', '#dfe8f2', '#22211e', '#14574b', '#f3c77b', '#b8442f'];

/** What a slide says, who says it, in which voice, before which background. */
export function SlidePanel(props: {
  readonly videoId: string;
  readonly slide: Slide;
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
  const isColor = background.startsWith('#');
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
        value={slide.hasAvatar === false ? null : (slide.avatar?.code ?? null)}
        onChange={(code, avatar) => {
          const voice = slide.voice ? undefined : voiceOf(avatar, voices);
          onChange({
            avatar: code === null ? null : { code },
            hasAvatar: code !== null,
            ...(voice && { voice: voice.voice, voiceProvider: voice.voiceProvider, language: voice.language }),
          });
        }}
      />
      <ColorInput
        label="Background"
        format="hex"
        swatches={BACKGROUNDS}
        swatchesPerRow={8}
        value={isColor ? background : '#ffffff'}
        onChangeEnd={props.onBackground}
        eyeDropperButtonProps={{ 'aria-label': 'Pick a colour from the screen' }}
      />
      <Select
        label="Slide appears"
        allowDeselect={false}
        data={ENTRANCES}
        value={entranceOf(slide.animation)}
        onChange={(animation) => animation && onChange({ animation })}
      />
      <TextInput
        label="Background picture"
        placeholder="https://…"
        type="url"
        key={`${slide.id}-${background}`}
        defaultValue={isColor ? '' : background}
        onBlur={(event) => {
          const next = event.currentTarget.value.trim();
          if (next !== (isColor ? '' : background)) props.onBackground(next || '#ffffff');
        }}
      />
      {!slide.speech?.trim() && (
        <NumberInput
          label="Seconds on screen"
          description="A slide without speech stays this long."
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

/** English is spoken at about 155 words a minute. */
function timeOf(speech: string): string {
  const words = speech.split(/\s+/).filter(Boolean).length;
  return words === 0 ? 'Silent' : `${words} words, about ${formatDuration(Math.max(1, (words / 155) * 60))}`;
}
