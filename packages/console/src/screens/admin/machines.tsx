import type { AdminHost, AdminWorker } from '@figurehead/sdk';
import { Badge, Button, Card, Group, Progress, Stack, Text, Title } from '@mantine/core';
import { useAction, useApi, useRead } from '../../api/client.js';
import { count, formatBytes, formatDuration, formatTime, formatWhen } from '../../lib/format.js';
import { DataTable } from '../../shell/data-table.js';
import { IconDoorExit, IconServerOff } from '../../shell/icons.js';
import { Empty, Loaded } from '../../shell/states.js';

const EVERY_MS = 3000;
/** A process that has been silent for this long is marked, milliseconds. */
const SILENT_MS = 30_000;

/** Stream hosts and workers with their load, and the waiting jobs. */
export function Machines() {
  return (
    <Stack gap={36}>
      {PARTS.map(({ id, title, Part }) => (
        <section key={id} aria-labelledby={id}>
          <Title order={2} id={id} mb="sm">
            {title}
          </Title>
          <Part />
        </section>
      ))}
    </Stack>
  );
}

const PARTS = [
  { id: 'hosts', title: 'Stream hosts', Part: Hosts },
  { id: 'workers', title: 'Render workers', Part: Workers },
  { id: 'queues', title: 'Queues', Part: Queues },
] as const;

function Hosts() {
  const api = useApi();
  const hosts = useRead(['admin', 'hosts'], (api, call) => api.listHosts({ query: { limit: 100 } }, call), {
    refetchInterval: EVERY_MS,
  });
  const drain = useAction((hostId: string) => api.drainHost({ hostId }), {
    changes: [['admin', 'hosts']],
    done: 'It accepts no new streams.',
  });
  return (
    <Loaded query={hosts} height={120}>
      {(list) =>
        list.hosts.length === 0 ? (
          <Empty icon={<IconServerOff />} title="No stream host">
            Live streams need a running stream host: figurehead start --role streams.
          </Empty>
        ) : (
          <div className="fh-tiles fh-tiles-wide">
            {list.hosts.map((host) => (
              <Host
                key={host.id}
                host={host}
                draining={drain.isPending && drain.variables === host.id}
                onDrain={() =>
                  window.confirm(
                    `Stop new streams on ${addressOf(host.url)}? Its ${count(host.open, 'open stream')} ${host.open === 1 ? 'continues' : 'continue'}.`,
                  ) && drain.mutate(host.id)
                }
              />
            ))}
          </div>
        )
      }
    </Loaded>
  );
}

function Host(props: { readonly host: AdminHost; readonly draining: boolean; readonly onDrain: () => void }) {
  const { host } = props;
  const share = host.capacity === 0 ? 0 : host.open / host.capacity;
  return (
    <Card padding="md">
      <Stack gap="xs" h="100%">
        <Heading name={addressOf(host.url)} heartbeatAt={host.heartbeatAt}>
          {host.draining && <Badge color="orange">Draining</Badge>}
        </Heading>
        <Load
          name="Streams"
          share={share}
          words={`${host.open} of ${host.capacity.toLocaleString('en')}`}
          label={`Streams on ${host.id}`}
        />
        <Text size="xs" c="dimmed">
          {host.id} · {host.engines.join(', ') || 'no engine'} · {host.version}
        </Text>
        <Group justify="space-between" mt="auto" pt={4}>
          <Text size="xs" c="dimmed" title={formatTime(host.startedAt)}>
            Started {formatWhen(host.startedAt)}
          </Text>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconDoorExit size={15} />}
            disabled={host.draining}
            loading={props.draining}
            aria-label={`Drain ${addressOf(host.url)}`}
            onClick={props.onDrain}
          >
            Drain
          </Button>
        </Group>
      </Stack>
    </Card>
  );
}

function Workers() {
  const workers = useRead(['admin', 'workers'], (api, call) => api.listWorkers({ query: { limit: 100 } }, call), {
    refetchInterval: EVERY_MS,
  });
  return (
    <Loaded query={workers} height={120}>
      {(list) =>
        list.workers.length === 0 ? (
          <Empty icon={<IconServerOff />} title="No worker">
            Videos stay in the queue until one runs: figurehead start --role worker.
          </Empty>
        ) : (
          <div className="fh-tiles fh-tiles-wide">
            {list.workers.map((worker) => (
              <Worker key={worker.id} worker={worker} />
            ))}
          </div>
        )
      }
    </Loaded>
  );
}

function Worker({ worker }: { readonly worker: AdminWorker }) {
  return (
    <Card padding="md">
      <Stack gap="xs">
        <Heading name={worker.machine || worker.id} heartbeatAt={worker.heartbeatAt}>
          <Badge color={worker.jobs.length > 0 ? 'blue' : 'gray'}>
            {worker.jobs.length > 0 ? count(worker.jobs.length, 'job') : 'Idle'}
          </Badge>
        </Heading>
        <Load
          name="Processors"
          share={worker.load}
          words={`${Math.round(worker.load * 100)} %`}
          label={`Processors of ${worker.id}`}
        />
        <Text size="xs" c="dimmed">
          {count(worker.threads, 'thread')} · {formatBytes(worker.memory)} · {worker.version} · started{' '}
          {formatWhen(worker.startedAt)}
        </Text>
        {worker.jobs.map((job) => (
          <Group key={`${job.kind}-${job.subjectId}-${job.startedAt}`} justify="space-between" gap="xs" wrap="nowrap">
            <Text size="sm" truncate>
              {job.kind}{' '}
              {job.subjectId && (
                <Text span size="xs" c="dimmed" ff="monospace">
                  {job.subjectId}
                </Text>
              )}
            </Text>
            <Text size="xs" c="dimmed" style={{ fontVariantNumeric: 'tabular-nums' }}>
              {formatDuration(Math.max(0, (Date.now() - new Date(job.startedAt).getTime()) / 1000))}
            </Text>
          </Group>
        ))}
      </Stack>
    </Card>
  );
}

function Queues() {
  const queues = useRead(['admin', 'queues'], (api, call) => api.listQueues({ query: { limit: 100 } }, call), {
    refetchInterval: EVERY_MS,
  });
  return (
    <Loaded query={queues} height={120}>
      {(list) => (
        <Card padding={0}>
          <DataTable
            label="Queues"
            minWidth={420}
            rows={list.queues}
            keyOf={({ name }) => name}
            columns={[
              { title: 'Queue', narrow: 'main', cell: ({ name }) => name, look: () => ({ fw: 600 }) },
              {
                title: 'Waiting',
                right: true,
                narrow: 'labelled',
                cell: ({ waiting }) => waiting.toLocaleString('en'),
              },
              {
                title: 'Running',
                right: true,
                narrow: 'labelled',
                cell: ({ running }) => running.toLocaleString('en'),
              },
              {
                title: 'Oldest',
                right: true,
                narrow: 'labelled',
                cell: ({ oldestWaitingSeconds: oldest }) => (oldest === null ? '—' : formatDuration(oldest)),
              },
            ]}
          />
        </Card>
      )}
    </Loaded>
  );
}

/** `10.0.0.7:4000`: the host's address for the API. */
function addressOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

function Heading(props: { readonly name: string; readonly heartbeatAt: string; readonly children: React.ReactNode }) {
  const silent = Date.now() - new Date(props.heartbeatAt).getTime() > SILENT_MS;
  return (
    <Group justify="space-between" wrap="nowrap" gap="xs">
      <Text component="h3" fw={600} truncate title={props.name}>
        {props.name}
      </Text>
      <Group gap={6} wrap="nowrap">
        {silent && <Badge color="red">Silent</Badge>}
        {props.children}
      </Group>
    </Group>
  );
}

function Load(props: {
  readonly name: string;
  readonly share: number;
  readonly words: string;
  readonly label: string;
}) {
  const color = props.share >= 0.95 ? 'red' : props.share > 0.75 ? 'orange' : 'verdigris';
  return (
    <div>
      <Group justify="space-between" mb={4}>
        <Text size="sm" c="dimmed">
          {props.name}
        </Text>
        <Text size="sm" fw={600} style={{ fontVariantNumeric: 'tabular-nums' }}>
          {props.words}
        </Text>
      </Group>
      <Progress value={Math.min(100, props.share * 100)} color={color} aria-label={props.label} />
    </div>
  );
}
