import { Badge, Button, Card, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAction, useApi, useRead } from '../../api/client.js';
import { formatWhen } from '../../lib/format.js';
import { IconCheck, IconShieldCheck, IconX } from '../../shell/icons.js';
import { Empty, Loaded } from '../../shell/states.js';

/** Videos waiting for review. */
export function Review() {
  const api = useApi();
  const [reasons, setReasons] = useState<Readonly<Record<string, string>>>({});
  const cases = useRead(['moderation'], (api, call) => api.listModeration({ query: { limit: 50 } }, call), {
    refetchInterval: 10_000,
  });
  const changes = [['moderation'], ['videos']];
  const approve = useAction((videoId: string) => api.approveVideo({ videoId }), { changes, done: 'Released.' });
  const reject = useAction(
    (videoId: string) => api.rejectVideo({ videoId, body: reasons[videoId] ? { reason: reasons[videoId] } : {} }),
    { changes, done: 'Refused.' },
  );
  return (
    <Loaded query={cases}>
      {(list) =>
        list.cases.length === 0 ? (
          <Empty icon={<IconShieldCheck />} title="Nothing to review">
            Videos appear here when this workspace reviews all videos, or when one contains a listed word.
          </Empty>
        ) : (
          <div className="fh-tiles" style={{ gridTemplateColumns: 'repeat(auto-fill, minmax(min(360px, 100%), 1fr))' }}>
            {list.cases.map((one) => (
              <Card key={one.videoId}>
                <Card.Section mb="md">
                  <div className="fh-frame">
                    {/* biome-ignore lint/a11y/useMediaCaption: a reviewer judges what is heard */}
                    <video controls preload="none" src={one.url} poster={one.thumbnail} aria-label={one.name} />
                  </div>
                </Card.Section>
                <Stack gap="sm">
                  <Text component="h2" fw={600}>
                    {one.name}
                  </Text>
                  <Group gap={6}>
                    <Text size="sm" c="dimmed">
                      {formatWhen(one.createdAt)} · {one.words.length > 0 ? 'contains' : 'all videos are reviewed'}
                    </Text>
                    {one.words.map((word) => (
                      <Badge key={word} color="red">
                        {word}
                      </Badge>
                    ))}
                  </Group>
                  <TextInput
                    label="Reason for refusing"
                    maxLength={1000}
                    value={reasons[one.videoId] ?? ''}
                    onChange={(event) => {
                      const reason = event.currentTarget.value;
                      setReasons((now) => ({ ...now, [one.videoId]: reason }));
                    }}
                  />
                  <Group grow>
                    <Button
                      leftSection={<IconCheck size={17} />}
                      loading={approve.isPending && approve.variables === one.videoId}
                      onClick={() => approve.mutate(one.videoId)}
                    >
                      Release
                    </Button>
                    <Button
                      variant="default"
                      leftSection={<IconX size={17} />}
                      loading={reject.isPending && reject.variables === one.videoId}
                      onClick={() => reject.mutate(one.videoId)}
                    >
                      Refuse
                    </Button>
                  </Group>
                </Stack>
              </Card>
            ))}
          </div>
        )
      }
    </Loaded>
  );
}
