import type { LiveStream } from '@figurehead/sdk';
import { Card, Group, Stack, Text, Title } from '@mantine/core';
import { useEffect, useState } from 'react';

interface Numbers {
  readonly codec: string;
  readonly size: string;
  readonly framesPerSecond: number;
  readonly kilobitsPerSecond: number;
  readonly lossPercent: number;
  readonly roundTripMs: number | null;
  readonly jitterMs: number;
  readonly path: string;
}

interface Counted {
  readonly bytes: number;
  readonly at: number;
}

/** How the connection does, second by second. */
export function StreamNumbers({
  stream,
  firstSoundMs,
}: {
  readonly stream: LiveStream;
  readonly firstSoundMs: number | null;
}) {
  const [numbers, setNumbers] = useState<Numbers>();
  useEffect(() => {
    let before: Counted | undefined;
    const timer = setInterval(async () => {
      // A connection that is closed in between has no more to say.
      if (stream.peer.connectionState === 'closed') return;
      const read = readNumbers(await stream.peer.getStats(), before);
      before = read.counted;
      setNumbers(read.numbers);
    }, 1000);
    return () => clearInterval(timer);
  }, [stream]);
  const rows: [string, string][] = [
    ['First sound after', firstSoundMs === null ? '—' : `${Math.round(firstSoundMs)} ms`],
    ['Round trip', numbers?.roundTripMs == null ? '—' : `${Math.round(numbers.roundTripMs)} ms`],
    ['Jitter', numbers ? `${numbers.jitterMs.toFixed(1)} ms` : '—'],
    ['Lost packets', numbers ? `${numbers.lossPercent.toFixed(2)} %` : '—'],
    ['Picture', numbers ? `${numbers.size}, ${numbers.framesPerSecond} per second` : '—'],
    ['Codec', numbers?.codec ?? '—'],
    ['Bitrate', numbers ? `${numbers.kilobitsPerSecond.toLocaleString('en')} kbit/s` : '—'],
    ['Path', numbers?.path ?? '—'],
  ];
  return (
    <Card>
      <Stack gap="sm">
        <Title order={2}>Connection</Title>
        {rows.map(([name, value]) => (
          <Group key={name} justify="space-between" wrap="nowrap">
            <Text size="sm" c="dimmed">
              {name}
            </Text>
            <Text size="sm" ta="right" style={{ fontVariantNumeric: 'tabular-nums' }}>
              {value}
            </Text>
          </Group>
        ))}
      </Stack>
    </Card>
  );
}

/** Reads a report of RTCPeerConnection.getStats (W3C webrtc-stats). */
function readNumbers(report: RTCStatsReport, before: Counted | undefined): { numbers: Numbers; counted: Counted } {
  const all = [...report.values()] as Record<string, unknown>[];
  const number = (entry: Record<string, unknown> | undefined, key: string) => Number(entry?.[key] ?? 0);
  const picture = all.find((one) => one.type === 'inbound-rtp' && one.kind === 'video');
  const codec = all.find((one) => one.id === picture?.codecId);
  const pair = all.find((one) => one.type === 'candidate-pair' && one.nominated === true && one.state === 'succeeded');
  const local = all.find((one) => one.id === pair?.localCandidateId);
  const counted = { bytes: number(pair, 'bytesReceived'), at: number(pair, 'timestamp') };
  const elapsed = before ? counted.at - before.at : 0;
  const received = number(picture, 'packetsReceived');
  const lost = Math.max(0, number(picture, 'packetsLost'));
  const roundTrip = pair?.currentRoundTripTime;
  const numbers: Numbers = {
    codec: String(codec?.mimeType ?? '—').replace('video/', ''),
    size: `${number(picture, 'frameWidth')} × ${number(picture, 'frameHeight')}`,
    framesPerSecond: Math.round(number(picture, 'framesPerSecond')),
    kilobitsPerSecond: before && elapsed > 0 ? Math.round(((counted.bytes - before.bytes) * 8) / elapsed) : 0,
    lossPercent: received + lost === 0 ? 0 : (lost / (received + lost)) * 100,
    roundTripMs: typeof roundTrip === 'number' ? roundTrip * 1000 : null,
    jitterMs: number(picture, 'jitter') * 1000,
    path: `${String(local?.protocol ?? '').toUpperCase()} ${String(local?.candidateType ?? '')}`.trim() || '—',
  };
  return { numbers, counted };
}
