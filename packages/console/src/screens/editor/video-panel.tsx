import type { VideoData } from '@figurehead/sdk';
import { NumberInput, Select, Stack, Switch, TextInput } from '@mantine/core';

/** Settings of the whole video. */
export function VideoPanel({
  data,
  onChange,
}: {
  readonly data: VideoData;
  readonly onChange: (change: VideoData) => void;
}) {
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
      <Select
        label="Resolution"
        allowDeselect={false}
        data={[
          { value: 'HD', label: 'HD, 720p' },
          { value: 'FullHD', label: 'Full HD, 1080p' },
          { value: '4K', label: '4K, 2160p' },
        ]}
        value={
          data.resolution
            ? (({ '720p': 'HD', '1080p': 'FullHD', '2160p': '4K' } as Record<string, string>)[data.resolution] ??
              data.resolution)
            : null
        }
        placeholder="As the server decides"
        onChange={(resolution) => resolution && onChange({ resolution: resolution as 'HD' })}
      />
      <Switch
        label="Subtitles in the picture"
        checked={data.subtitlesEnabled ?? false}
        onChange={(event) => onChange({ subtitlesEnabled: event.currentTarget.checked })}
      />
      <TextInput
        label="Music"
        description="The address of a sound file, played quietly below the speech."
        placeholder="https://…"
        key={data.musicUrl ?? ''}
        defaultValue={data.musicUrl ?? ''}
        onBlur={(event) => onChange({ musicUrl: event.currentTarget.value.trim() || null })}
      />
      <NumberInput
        label="Frames per second"
        min={25}
        max={60}
        allowDecimal={false}
        description="25, 30, 50 or 60"
        value={data.fps ?? 25}
        onChange={(fps) => (fps === 25 || fps === 30 || fps === 50 || fps === 60) && onChange({ fps })}
      />
    </Stack>
  );
}
