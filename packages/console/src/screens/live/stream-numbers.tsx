import type { LiveStream, StreamStats } from '@figurehead/sdk';
import { Alert, Card, Group, Stack, Text, Title } from '@mantine/core';
import { memo, useEffect, useState } from 'react';
import { useRead } from '../../api/client.js';
import { IconBulb } from '../../shell/icons.js';
import { type Arrival, type Counted, readArrival } from './arrival.js';

/** Steps from a text to the picture, measured by server and browser. */
const STEPS = [
  { key: 'synthesis', name: 'Synthesis', about: 'from the text to its first sound' },
  { key: 'queue', name: 'Queue', about: 'queued behind other speech' },
  { key: 'draw', name: 'Draw', about: 'a frame' },
  { key: 'encode', name: 'Encode', about: 'a frame' },
  { key: 'network', name: 'Network', about: 'one way' },
] as const;

/** Streams have 25 frames per second; slower drawing reduces the frame rate. */
const FRAME_MS = 40;

type Step = (typeof STEPS)[number]['key'];

/** Latency by step, and connection statistics, second by second. */
export const StreamNumbers = memo(function StreamNumbers(props: {
  readonly stream: LiveStream;
  readonly firstSoundMs: number | null;
}) {
  const { stream, firstSoundMs } = props;
  const arrival = useArrival(stream);
  const stats = useRead(
    ['stream-stats', stream.id],
    (api, call) => api.readStreamStats({ streamId: stream.id }, call),
    { refetchInterval: 1000, retry: false },
  ).data;
  const network = stats?.network ?? (arrival?.roundTripMs == null ? null : arrival.roundTripMs / 2);
  const times: Record<Step, number | null> = {
    synthesis: stats?.synthesis ?? null,
    queue: stats?.queue ?? null,
    draw: stats?.draw ?? null,
    encode: stats?.encode ?? null,
    network,
  };
  const longest = Math.max(20, ...Object.values(times).map((time) => time ?? 0));
  const firstSound = stats?.firstSound ?? firstSoundMs;
  const picture = pictureOf(arrival, stats);
  const advice = adviceOf(times, arrival);
  const rows: [string, string][] = [
    ['Picture', picture],
    ['Codec', arrival?.codec ?? stats?.codec ?? '—'],
    ['Bitrate', arrival ? `${arrival.kilobitsPerSecond.toLocaleString('en')} kbit/s` : '—'],
    ['Sent', stats ? `${Math.round(stats.bitrate / 1000).toLocaleString('en')} kbit/s` : '—'],
    ['Lost packets', arrival ? `${arrival.lossPercent.toFixed(2)} %` : '—'],
    ['Jitter', arrival ? `${arrival.jitterMs.toFixed(1)} ms` : '—'],
    ['Round trip', arrival?.roundTripMs == null ? '—' : `${Math.round(arrival.roundTripMs)} ms`],
    ['Jitter buffer', arrival?.bufferMs == null ? '—' : `${Math.round(arrival.bufferMs)} ms`],
    ['Audio/video offset', stats?.avOffset == null ? '—' : `${stats.avOffset.toFixed(1)} ms`],
    ['Frames dropped', arrival ? String(arrival.framesDropped) : '—'],
    ['Path', arrival?.path ?? '—'],
  ];
  return (
    <Stack gap="lg">
      <Card component="section" aria-label="Latency breakdown">
        <Group justify="space-between" align="baseline" mb="xs" gap="xs">
          <Title order={2}>Latency breakdown</Title>
          <Text size="sm" c="dimmed">
            First sound after{' '}
            <Text span fw={600} c="var(--mantine-color-text)" style={{ fontVariantNumeric: 'tabular-nums' }}>
              {firstSound === null ? '—' : `${Math.round(firstSound)} ms`}
            </Text>
          </Text>
        </Group>
        <ul className="fh-plain">
          {STEPS.map(({ key, name, about }) => (
            <li key={key} className="fh-step">
              <Text size="sm">
                {name}{' '}
                <Text span size="xs" c="dimmed">
                  {about}
                </Text>
              </Text>
              <Text size="sm" ta="right" style={{ fontVariantNumeric: 'tabular-nums' }}>
                {times[key] === null ? '—' : `${format(times[key])} ms`}
              </Text>
              <span className="fh-bar" aria-hidden="true">
                <span style={{ width: `${Math.min(100, ((times[key] ?? 0) / longest) * 100)}%` }} />
              </span>
            </li>
          ))}
        </ul>
        {advice && (
          <Alert color="orange" mt="sm" p="xs" icon={<IconBulb size={18} />}>
            <Text size="sm">{advice}</Text>
          </Alert>
        )}
      </Card>
      <Card>
        <Stack gap="xs">
          <Title order={2}>Connection</Title>
          {rows.map(([name, value]) => (
            <Group key={name} justify="space-between" wrap="nowrap" gap="xs">
              <Text size="sm" c="dimmed">
                {name}
              </Text>
              <Text size="sm" ta="right" truncate style={{ fontVariantNumeric: 'tabular-nums' }}>
                {value}
              </Text>
            </Group>
          ))}
        </Stack>
      </Card>
    </Stack>
  );
});

function useArrival(stream: LiveStream): Arrival | undefined {
  const [arrival, setArrival] = useState<Arrival>();
  useEffect(() => {
    let before: Counted | undefined;
    const timer = setInterval(async () => {
      // A closed connection has no statistics.
      if (stream.peer.connectionState === 'closed') return;
      const read = readArrival(await stream.peer.getStats(), before);
      before = read.counted;
      setArrival(read.arrival);
    }, 1000);
    return () => clearInterval(timer);
  }, [stream]);
  return arrival;
}

/** The most helpful advice, or none when everything is fine. */
function adviceOf(times: Readonly<Record<Step, number | null>>, arrival: Arrival | undefined): string | undefined {
  if (arrival && arrival.lossPercent > 2)
    return `${arrival.lossPercent.toFixed(1)} % of the packets are lost: try a cable, or a TURN server over TCP.`;
  if ((times.draw ?? 0) + (times.encode ?? 0) > FRAME_MS)
    return 'Drawing and encoding take longer than a frame: use a smaller picture, or use another host.';
  if ((times.network ?? 0) > 150) return 'The network delay is high: use a stream host closer to you.';
  if ((times.synthesis ?? 0) > 600) return 'The voice starts slowly: a local voice of this server starts sooner.';
  return undefined;
}

function pictureOf(arrival: Arrival | undefined, stats: StreamStats | undefined): string {
  if (arrival) return `${arrival.size}, ${arrival.framesPerSecond} per second`;
  return stats ? `${stats.width} × ${stats.height}, ${Math.round(stats.fps)} per second` : '—';
}

function format(ms: number): string {
  return ms < 10 ? ms.toFixed(1) : String(Math.round(ms));
}
