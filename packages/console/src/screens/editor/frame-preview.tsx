import type { Slide, VideoData } from '@figurehead/sdk';
import type { CanvasSize } from '@figurehead/sdk/document';
import { ActionIcon, Alert, Badge, Group, Slider, Text, Tooltip } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { describeError, useAction, useApi } from '../../api/client.js';
import { spokenSeconds } from '../../lib/speech-time.js';
import { IconPlayerPauseFilled, IconPlayerPlayFilled } from '../../shell/icons.js';
import { spokenKey } from './document.js';
import { useFrame } from './use-frame.js';

/** How long a slide without speech and without a duration of its own is taken to be, seconds. */
const SILENT_SECONDS = 5;

/** One frame of the slide as the server renders it, at any second, with its speech. */
export function FramePreview(props: {
  readonly videoId: string;
  readonly slide: Slide;
  readonly data: VideoData;
  readonly size: CanvasSize;
  readonly number: number;
  readonly flush: () => Promise<void>;
}) {
  const { slide, size } = props;
  const api = useApi();
  const [at, setAt] = useState(0);
  const [playing, setPlaying] = useState(false);
  const audio = useRef<HTMLAudioElement>(null);
  const frame = useFrame({ videoId: props.videoId, slide, data: props.data, at });
  const words = slide.speech?.trim() ?? '';
  const speech = useAction(
    async () => {
      const key = spokenKey(slide);
      await props.flush();
      return { key, ...(await api.synthesizeSlide({ videoId: props.videoId, slideId: String(slide.id) })) };
    },
    { quiet: true },
  );
  const spoken = speech.data?.key === spokenKey(slide) ? speech.data : undefined;
  const length = words
    ? (spoken?.duration ?? slide.audio?.duration ?? spokenSeconds(words))
    : (slide.duration ?? SILENT_SECONDS);

  // The frame follows the sound, as fast as frames come.
  useEffect(() => {
    if (!playing) return;
    const timer = setInterval(() => audio.current && setAt(audio.current.currentTime), 100);
    return () => clearInterval(timer);
  }, [playing]);

  const toggle = async () => {
    const player = audio.current;
    if (!player) return;
    if (playing) return player.pause();
    const { url } = spoken ?? (await speech.mutateAsync(undefined));
    if (player.src !== url) player.src = url;
    player.currentTime = at >= length - 0.1 ? 0 : at;
    await player.play();
  };

  return (
    <div>
      <div
        className="fh-frame fh-stage"
        style={{ aspectRatio: `${size.width} / ${size.height}`, background: '#000' }}
        aria-busy={frame.busy}
      >
        {frame.url && (
          <img
            src={frame.url}
            alt={`Slide ${props.number} at ${at.toFixed(1)} seconds, as the video will show it`}
            style={{ objectFit: 'contain' }}
          />
        )}
        <Badge pos="absolute" top={10} right={10} color="dark" variant="filled" style={{ opacity: frame.busy ? 1 : 0 }}>
          Drawing…
        </Badge>
      </div>
      {frame.error !== undefined && (
        <Alert color="red" mt="sm" role="alert">
          {describeError(frame.error)}
        </Alert>
      )}
      {speech.error && (
        <Alert color="red" mt="sm" role="alert">
          {describeError(speech.error)}
        </Alert>
      )}
      <Group mt="sm" gap="sm" wrap="nowrap">
        <Tooltip label={words ? (playing ? 'Pause' : 'Play the speech') : 'This slide is silent'}>
          <ActionIcon
            size="lg"
            variant="light"
            color="verdigris"
            aria-label={playing ? 'Pause' : 'Play the speech'}
            disabled={!words}
            loading={speech.isPending}
            onClick={() => toggle().catch(() => setPlaying(false))}
          >
            {playing ? <IconPlayerPauseFilled size={17} /> : <IconPlayerPlayFilled size={17} />}
          </ActionIcon>
        </Tooltip>
        <Slider
          style={{ flex: 1 }}
          thumbLabel="Second of the slide"
          min={0}
          max={Math.max(0.5, length)}
          step={0.04}
          label={(value) => `${value.toFixed(1)} s`}
          value={Math.min(at, length)}
          onChange={(second) => {
            setAt(second);
            if (audio.current?.src) audio.current.currentTime = second;
          }}
        />
        <Text size="sm" c="dimmed" w={92} ta="right" style={{ fontVariantNumeric: 'tabular-nums' }}>
          {at.toFixed(1)} / {length.toFixed(1)} s
        </Text>
      </Group>
      {/* biome-ignore lint/a11y/useMediaCaption: the words stand in the slide's speech */}
      <audio
        ref={audio}
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onEnded={() => setPlaying(false)}
        aria-label="The speech of this slide"
      />
    </div>
  );
}
