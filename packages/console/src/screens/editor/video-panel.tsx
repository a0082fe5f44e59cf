import type { VideoData } from '@figurehead/sdk';
import { Button, Group, Select, Slider, Stack, Switch, Text } from '@mantine/core';
import { IconMusic, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { MediaPicker } from '../../shell/media-picker.js';

const SAME_RESOLUTION: Readonly<Record<string, string>> = { '720p': 'HD', '1080p': 'FullHD', '2160p': '4K' };

/** Settings of the whole video. */
export function VideoPanel({
  data,
  onChange,
}: {
  readonly data: VideoData;
  readonly onChange: (change: VideoData, kind?: string) => void;
}) {
  const transparent = data.transparent ?? false;
  return (
    <Stack gap="lg">
      <Select
        label="Format"
        allowDeselect={false}
        data={[
          { value: '16_9', label: 'Wide, 16:9' },
          { value: '9_16', label: 'Tall, 9:16' },
          { value: '1_1', label: 'Square, 1:1' },
        ]}
        value={data.format ?? '16_9'}
        onChange={(format) => format && onChange({ format })}
      />
      <Group grow align="flex-start">
        <Select
          label="Resolution"
          allowDeselect={false}
          data={[
            { value: 'HD', label: 'HD, 720p' },
            { value: 'FullHD', label: 'Full HD, 1080p' },
            { value: '4K', label: '4K, 2160p' },
          ]}
          value={data.resolution ? (SAME_RESOLUTION[data.resolution] ?? data.resolution) : null}
          placeholder="As set here"
          onChange={(resolution) => resolution && onChange({ resolution: resolution as 'HD' })}
        />
        <Select
          label="Frames a second"
          allowDeselect={false}
          data={['25', '30', '50', '60']}
          value={String(data.fps ?? 25)}
          onChange={(fps) => fps && onChange({ fps: Number(fps) as 25 })}
        />
      </Group>
      <Select
        label="Captions in the picture"
        description="Subtitle files are made in any case."
        allowDeselect={false}
        data={[
          { value: 'off', label: 'None' },
          { value: 'lines', label: 'Lines' },
          { value: 'words', label: 'Lines, the spoken word marked' },
        ]}
        value={data.captions ?? (data.subtitlesEnabled ? 'lines' : 'off')}
        onChange={(captions) =>
          captions && onChange({ captions: captions as 'off', subtitlesEnabled: captions !== 'off' })
        }
      />
      <Music data={data} onChange={onChange} />
      <Select
        label="Codec"
        description={transparent ? 'A transparent video is a WebM with VP9.' : 'H.264 plays everywhere.'}
        allowDeselect={false}
        disabled={transparent}
        data={[
          { value: 'h264', label: 'H.264, MP4' },
          { value: 'h265', label: 'H.265, MP4' },
          { value: 'vp9', label: 'VP9, WebM' },
          { value: 'av1', label: 'AV1, WebM' },
        ]}
        value={transparent ? 'vp9' : (data.codec ?? 'h264')}
        onChange={(codec) => codec && onChange({ codec: codec as 'h264' })}
      />
      <Select
        label="Effort"
        allowDeselect={false}
        data={[
          { value: 'veryfast', label: 'Quick to render' },
          { value: 'fast', label: 'Smaller file' },
        ]}
        value={data.preset ?? 'veryfast'}
        onChange={(preset) => preset && onChange({ preset: preset as 'fast' })}
      />
      <Switch
        label="Transparent background"
        description="To lay the presenter over other films. Slides keep no background of their own."
        checked={transparent}
        onChange={(event) => onChange({ transparent: event.currentTarget.checked })}
      />
      <Switch
        label="Animated GIF"
        description="A short preview for mails and chats."
        checked={data.gifEnabled ?? false}
        onChange={(event) => onChange({ gifEnabled: event.currentTarget.checked })}
      />
    </Stack>
  );
}

function Music({ data, onChange }: Parameters<typeof VideoPanel>[0]) {
  const [picking, setPicking] = useState(false);
  const { musicUrl } = data;
  const volume = data.musicVolume ?? 0.25;
  return (
    <div>
      <Text size="sm" fw={500} mb={4}>
        Music
      </Text>
      <Group gap="xs" wrap="nowrap">
        <Button
          variant="default"
          leftSection={<IconMusic size={16} />}
          style={{ flex: 1, minWidth: 0 }}
          onClick={() => setPicking(true)}
        >
          {musicUrl ? fileNameOf(musicUrl) : 'Choose music'}
        </Button>
        {musicUrl && (
          <Button variant="default" px={10} aria-label="No music" onClick={() => onChange({ musicUrl: null })}>
            <IconX size={16} />
          </Button>
        )}
      </Group>
      {musicUrl && (
        <Stack gap={6} mt="sm">
          {/* biome-ignore lint/a11y/useMediaCaption: music has no words to read */}
          <audio controls preload="none" src={musicUrl} style={{ width: '100%' }} aria-label="The music" />
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
            It plays at {Math.round(volume * 100)} %, and lower while somebody speaks.
          </Text>
        </Stack>
      )}
      <MediaPicker
        kind="audio"
        opened={picking}
        onClose={() => setPicking(false)}
        onPick={({ url }) => onChange({ musicUrl: url })}
      />
    </div>
  );
}

/** The last part of an address, without its signature. */
function fileNameOf(address: string): string {
  const path = address.split(/[?#]/)[0] ?? '';
  return decodeURIComponent(path.split('/').at(-1) ?? '') || 'Chosen';
}
