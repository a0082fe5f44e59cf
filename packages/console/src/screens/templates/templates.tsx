import type { BatchSummary, VideoStatus } from '@figurehead/sdk';
import { Anchor, Box, Button, Card, Group, Text, Title } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { plainSlide, useIngredients } from '../../api/brand.js';
import { useCast } from '../../api/catalogue.js';
import { useAction, useAll, useApi, useRead } from '../../api/client.js';
import { count, formatWhen } from '../../lib/format.js';
import { isMoving } from '../../lib/status.js';
import { ActButton, DeleteIcon } from '../../shell/action-buttons.js';
import { IconPencil, IconPlus, IconTable } from '../../shell/icons.js';
import { ListPages } from '../../shell/list-pages.js';
import { Page } from '../../shell/page.js';
import { Empty, Loaded } from '../../shell/states.js';
import { VideoPicture } from '../videos/video-picture.js';

/** Batches on a page. */
const LIMIT = 20;

/** Templates: videos with {{placeholders}} that are filled from a table. */
export default function Templates() {
  const api = useApi();
  const [, go] = useLocation();
  const { isPending } = useIngredients();
  const { code, voice } = useCast();
  const templates = useAll(['videos', 'templates'], (api, call) =>
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
  const remove = useAction((videoId: string) => api.deleteVideo({ videoId }), {
    changes: [['videos'], ['apiConfig']],
    done: 'The template was deleted.',
  });
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
        {(videos) =>
          videos.length === 0 ? (
            <Empty icon={<IconTable />} title="No templates yet" action={button}>
              Start with a greeting that contains a name, then drop a CSV with names on it.
            </Empty>
          ) : (
            <div className="fh-tiles">
              {videos.map((video) => (
                <Box key={video._id} component="article" className="fh-tile">
                  <VideoPicture video={video} />
                  <Box p="md">
                    <Group justify="space-between" wrap="nowrap" align="flex-start" gap="xs">
                      <Text component="h2" fw={600} lineClamp={2}>
                        {video.name}
                      </Text>
                      <DeleteIcon
                        label={`Delete ${video.name}`}
                        question={`Delete the template “${video.name}”? Videos made from it stay.`}
                        act={remove}
                        id={video._id}
                      />
                    </Group>
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
                  </Box>
                </Box>
              ))}
            </div>
          )
        }
      </Loaded>
      {templates.data && <Batches />}
    </Page>
  );
}

/** Batches with their progress, the latest first. */
function Batches() {
  const [page, setPage] = useState(1);
  const batches = useRead(['batches', page], (api, call) => api.listBatches({ query: { page, limit: LIMIT } }, call), {
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.batches.some(isMovingBatch) ? 3000 : false),
  });
  if (!batches.data || batches.data.total === 0) return null;
  return (
    <Card mt="xl">
      <Title order={2} mb="xs">
        Batches
      </Title>
      <div>
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
      </div>
      <ListPages total={batches.data.total} limit={LIMIT} page={page} onChange={setPage} />
    </Card>
  );
}

/** Some of its videos are not finished. */
function isMovingBatch({ counts }: BatchSummary): boolean {
  return Object.keys(counts).some((status) => isMoving(status as VideoStatus));
}
