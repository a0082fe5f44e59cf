import { type Figurehead, LiveStream } from '@figurehead/sdk';
import { Badge, Card, Group, Stack, Text, Title } from '@mantine/core';
import { describeError, useAction, useApi } from '../../api/client.js';
import { ActButton } from '../../shell/action-buttons.js';
import { IconStethoscope } from '../../shell/icons.js';

interface Hop {
  readonly name: string;
  readonly state: 'good' | 'broken' | 'absent';
  readonly words: string;
}

const STATES = {
  good: { label: 'Good', color: 'verdigris' },
  broken: { label: 'Broken', color: 'red' },
  absent: { label: 'Not set up', color: 'gray' },
} as const;

/** Opens a stream for a moment and finds the failing hop: server, UDP, STUN, TURN. */
export function ConnectionCheck() {
  const api = useApi();
  const check = useAction(() => examine(api));
  return (
    <Card>
      <Stack gap="sm">
        <Title order={2}>Connection check</Title>
        <Text size="sm" c="dimmed">
          Opens a stream for a moment and checks each hop between the server and this browser.
        </Text>
        <ActButton act={check} variant="default" leftSection={<IconStethoscope size={17} />}>
          Check the connection
        </ActButton>
        {check.data?.map((hop) => (
          <div key={hop.name}>
            <Group justify="space-between" wrap="nowrap">
              <Text size="sm" fw={600}>
                {hop.name}
              </Text>
              <Badge color={STATES[hop.state].color}>{STATES[hop.state].label}</Badge>
            </Group>
            <Text size="xs" c="dimmed">
              {hop.words}
            </Text>
          </div>
        ))}
      </Stack>
    </Card>
  );
}

async function examine(api: Figurehead): Promise<Hop[]> {
  const kinds = new Set<string>();
  const schemes = new Set<string>();
  let reached = false;
  const createPeerConnection = (configuration: RTCConfiguration) => {
    reached = true;
    for (const { urls } of configuration.iceServers ?? []) {
      for (const url of [urls].flat()) schemes.add(url.split(':')[0] ?? '');
    }
    const peer = new RTCPeerConnection(configuration);
    peer.addEventListener('icecandidate', ({ candidate }) => {
      if (candidate?.type) kinds.add(candidate.type);
    });
    return peer;
  };
  let media: Pick<Hop, 'state' | 'words'>;
  try {
    const stream = await LiveStream.open(api, { createPeerConnection, connectTimeoutMs: 10_000 });
    await stream.close();
    media = { state: 'good', words: 'Picture and sound can travel between the server and this browser.' };
  } catch (error) {
    if (!reached) return [{ name: 'Stream host', state: 'broken', words: describeError(error) }];
    const words = kinds.has('relay')
      ? 'The connection fails even through the TURN server: check its address and the ports of the stream host.'
      : 'UDP is blocked. Open FIGUREHEAD_RTC_PORTS on the server, or set up TURN for networks that block UDP.';
    media = { state: 'broken', words };
  }
  return [
    { name: 'Stream host', state: 'good', words: 'A host accepted the stream.' },
    ...relays(kinds, schemes),
    { name: 'Media', ...media },
  ];
}

/** Results of the browser's STUN and TURN requests, if servers are configured. */
function relays(kinds: ReadonlySet<string>, schemes: ReadonlySet<string>): Hop[] {
  const local: Hop = kinds.has('host')
    ? { name: 'UDP here', state: 'good', words: 'This browser has addresses for UDP.' }
    : {
        name: 'UDP here',
        state: 'broken',
        words: 'This browser found no address for UDP: a policy or a VPN forbids it.',
      };
  const hop = (name: string, scheme: string, kind: string, use: string): Hop => {
    if (!schemes.has(scheme) && !schemes.has(`${scheme}s`))
      return { name, state: 'absent', words: `No ${name} server is configured. ${use}` };
    return kinds.has(kind)
      ? { name, state: 'good', words: `The ${name} server answered.` }
      : { name, state: 'broken', words: `The ${name} server did not answer.` };
  };
  return [
    local,
    hop('STUN', 'stun', 'srflx', 'Only needed when both sides are behind NAT.'),
    hop('TURN', 'turn', 'relay', 'Needed for networks that block UDP.'),
  ];
}
