import type { BatchSummary, VideoStatus } from '@figurehead/sdk';
import { Anchor, Button, Card, Group, Text, Title } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { plainSlide, useIngredients } from '../../api/brand.js';
import { useCast } from '../../api/catalogue.js';
import { useAction, useApi, useRead } from '../../api/client.js';
import { count, formatWhen } from '../../lib/format.js';
import { isMoving } from '../../lib/status.js';
import { ActButton } from '../../shell/action-buttons.js';
import { IconPencil, IconPlus, IconTable } from '../../shell/icons.js';
import { Page } from '../../shell/page.js';
import { Empty, Loaded } from '../../shell/states.js';

/** Templates: videos with {{placeholders}} that are filled from a table. */
export default function Templates() {
  const api = useApi();
  const [, go] = useLocation();
  const { isPending } = useIngredients();
  const { code, voice } = useCast();
  const templates = useRead(['videos', 'templates'], (api, call) =>
    api.listVideos({ query: { type: 'template', limit: 100 } }, call),
  );
  const create = useAction(
    () =>
      api.createVideo({
        body: {
          name: 'Greeting',
          type: 'template',
          slides: [plainSlide('Hello {{name}}! It is good to see someone from {{company}}.', code, voice)],
        },
      }),
    { changes: [['videos']], onDone: (video) => go(`/templates/${video._id}`) },
  );
  const button = (
    <ActButton act={create} disabled={isPending} leftSection={<IconPlus size={18} />}>
      New template
    </ActButton>
  );
  return (
    <Page
      title="Templates"
      about="Write once, render for everyone: {{placeholders}} in speech and text are filled in from a table, one video per row."
      actions={button}
    >
      <Loaded query={templates}>
        {({ videos }) =>
          videos.length === 0 ? (
            <Empty icon={<IconTable />} title="No templates yet" action={button}>
              Start with a greeting that contains a name, then drop a CSV with names on it.
            </Empty>
          ) : (
            <div className="fh-tiles">
              {videos.map((video) => (
                <Card key={video._id}>
                  <Text component="h2" fw={600} lineClamp={2}>
                    {video.name}
                  </Text>
                  <Text size="sm" c="dimmed" mb="md">
                    Changed {formatWhen(video.updatedAt)}
                  </Text>
                  <Group gap="xs">
                    <Button
                      component={Link}
                      href={`/templates/${video._id}`}
                      size="xs"
                      leftSection={<IconTable size={15} />}
                      aria-label={`Create a batch of ${video.name}`}
                    >
                      Create a batch
                    </Button>
                    <Button
                      component={Link}
                      href={`/videos/${video._id}/edit`}
                      size="xs"
                      variant="default"
                      leftSection={<IconPencil size={15} />}
                      aria-label={`Edit ${video.name}`}
                    >
                      Edit
                    </Button>
                  </Group>
                </Card>
              ))}
            </div>
          )
        }
      </Loaded>
      {templates.data && <RecentBatches />}
    </Page>
  );
}

/** The latest batches, with their progress. */
function RecentBatches() {
  const batches = useRead(['batches'], (api, call) => api.listBatches({ query: { limit: 20 } }, call), {
    refetchInterval: ({ state }) => (state.data?.batches.some(isMovingBatch) ? 3000 : false),
  });
  if (!batches.data || batches.data.batches.length === 0) return null;
  return (
    <Card mt="xl">
      <Title order={2} mb="xs">
        Batches
      </Title>
      {batches.data.batches.map(({ requestId, name, rows, counts, createdAt }) => (
        <Group key={requestId} className="fh-line" justify="space-between">
          <Anchor component={Link} href={`/batches/${requestId}`} fw={600} c="var(--mantine-color-text)">
            {name}
          </Anchor>
          <Text size="sm" c="dimmed">
            {count(rows, 'row')} · {counts.ready ?? 0} ready{counts.error ? ` · ${counts.error} failed` : ''} ·{' '}
            {formatWhen(createdAt)}
          </Text>
        </Group>
      ))}
    </Card>
  );
}

/** Some of its videos are not finished. */
function isMovingBatch({ counts }: BatchSummary): boolean {
  return Object.keys(counts).some((status) => isMoving(status as VideoStatus));
}
