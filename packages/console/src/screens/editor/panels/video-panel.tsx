import type { VideoData } from '@figurehead/sdk';
import {
  CAPTION_STYLES,
  CODECS,
  ENCODE_PRESETS,
  FORMATS,
  FRAME_RATES,
  optionsOf,
  RESOLUTIONS,
} from '@figurehead/sdk/document';
import { Button, Group, Select, Slider, Stack, Switch, Text } from '@mantine/core';
import { IconMusic, IconX } from '../../../shell/icons.js';
import { PickButton } from '../../../shell/pick-button.js';
import { SoundPlayer } from '../../../shell/sound-player.js';
import { inFormat } from '../document.js';
import { useEditor } from '../store.js';
import { BrandButton } from './brand-button.js';
import { TranslationFields } from './translation.js';

/** Settings of the whole video. */
export function VideoPanel({
  data,
  onChange,
}: {
  readonly data: VideoData;
  readonly onChange: (change: VideoData, kind?: string) => void;
}) {
  const { change } = useEditor();
  const transparent = data.transparent ?? false;
  return (
    <Stack gap="lg">
      <BrandButton />
      <Select
        label="Format"
        data={optionsOf(FORMATS)}
        value={data.format ?? '16_9'}
        description="The content of the slides moves to the middle."
        onChange={(format) => format && change((now) => inFormat(now, format))}
      />
      <Group grow align="flex-start">
        <Select
          label="Resolution"
          data={optionsOf(RESOLUTIONS).filter(({ value }) => RESOLUTIONS[value].sameAs === value)}
          value={data.resolution ? RESOLUTIONS[data.resolution].sameAs : null}
          placeholder="Server default"
          onChange={(resolution) => resolution && onChange({ resolution })}
        />
        <Select
          label="Frame rate"
          data={FRAME_RATES.map(String)}
          value={String(data.fps ?? 25)}
          onChange={(fps) => fps && onChange({ fps: FRAME_RATES.find((rate) => rate === Number(fps)) ?? 25 })}
        />
      </Group>
      <Select
        label="Burned-in captions"
        description="Subtitle files are always created."
        data={optionsOf(CAPTION_STYLES)}
        value={data.captions ?? (data.subtitlesEnabled ? 'lines' : 'off')}
        onChange={(captions) => captions && onChange({ captions, subtitlesEnabled: captions !== 'off' })}
      />
      <TranslationFields />
      <Music data={data} onChange={onChange} />
      <Select
        label="Codec"
        description={transparent ? 'A transparent video is a WebM with VP9.' : 'H.264 plays everywhere.'}
        disabled={transparent}
        data={optionsOf(CODECS)}
        value={transparent ? 'vp9' : (data.codec ?? 'h264')}
        onChange={(codec) => codec && onChange({ codec })}
      />
      <Select
        label="Encoding"
        data={optionsOf(ENCODE_PRESETS)}
        value={data.preset ?? 'veryfast'}
        onChange={(preset) => preset && onChange({ preset })}
      />
      <Switch
        label="Transparent background"
        description="For placing the presenter over other footage. Slide backgrounds are left out."
        checked={transparent}
        onChange={(event) => onChange({ transparent: event.currentTarget.checked })}
      />
      <Switch
        label="Animated GIF"
        description="A short preview for e-mails and chats."
        checked={data.gifEnabled ?? false}
        onChange={(event) => onChange({ gifEnabled: event.currentTarget.checked })}
      />
    </Stack>
  );
}

function Music({ data, onChange }: Parameters<typeof VideoPanel>[0]) {
  const { musicUrl } = data;
  const volume = data.musicVolume ?? 0.25;
  return (
    <div>
      <Text size="sm" fw={500} mb={4}>
        Music
      </Text>
      <Group gap="xs" wrap="nowrap">
        <PickButton
          kind="audio"
          onPick={({ url }) => onChange({ musicUrl: url })}
          variant="default"
          leftSection={<IconMusic size={16} />}
          style={{ flex: 1, minWidth: 0 }}
        >
          {musicUrl ? 'Change music' : 'Choose music'}
        </PickButton>
        {musicUrl && (
          <Button variant="default" px={10} aria-label="No music" onClick={() => onChange({ musicUrl: null })}>
            <IconX size={16} />
          </Button>
        )}
      </Group>
      {musicUrl && (
        <Stack gap={6} mt="sm">
          <SoundPlayer preload="none" label="The music" src={musicUrl} />
          <Slider
            thumbLabel="Volume of the music"
            min={0}
            max={1}
            step={0.05}
            label={(value) => `${Math.round(value * 100)} %`}
            value={volume}
            onChange={(musicVolume) => onChange({ musicVolume }, 'musicVolume')}
          />
          <Text size="xs" c="dimmed">
            It plays at {Math.round(volume * 100)} %, and quieter during speech.
          </Text>
        </Stack>
      )}
    </div>
  );
}
