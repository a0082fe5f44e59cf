import type { Video } from '@figurehead/sdk';
import { placeholdersOf } from '@figurehead/sdk/document';
import type { Sheet } from '@figurehead/sdk/tables';
import { Badge, Button, Card, Code, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { useVideo } from '../../api/lists.js';
import { Page } from '../../shell/page.js';
import { Loaded } from '../../shell/states.js';
import { Rows } from './rows.js';
import { TableSource } from './table-source.js';

/** Fills a template from a table and renders a video for each row. */
export default function Batch({ videoId }: { readonly videoId: string }) {
  const template = useVideo(videoId);
  return <Loaded query={template}>{(video) => <Filling template={video} />}</Loaded>;
}

function Filling({ template }: { readonly template: Video }) {
  const { names, optional } = placeholdersOf(template.slides);
  const [sheet, setSheet] = useState<Sheet>();
  return (
    <Page
      title={`Create a batch of ${template.name}`}
      from={{ href: '/templates', list: 'Templates' }}
      about="Each row of the table becomes one video."
      actions={
        <Button component={Link} href={`/videos/${template._id}/edit`} variant="default">
          Edit template
        </Button>
      }
    >
      <Stack gap="lg">
        <Card>
          <Title order={2} mb={4}>
            1. Placeholders
          </Title>
          {names.length === 0 ? (
            <Text c="dimmed">
              This template has none yet. Write <Code>{'{{name}}'}</Code> where something differs from row to row.
            </Text>
          ) : (
            <Group gap={6}>
              {names.map((name) => (
                <Badge key={name} size="lg" color="orange">
                  {name}
                </Badge>
              ))}
            </Group>
          )}
        </Card>
        <Card>
          <Title order={2} mb="sm">
            2. Table
          </Title>
          <TableSource sheet={sheet} onSheet={setSheet} />
        </Card>
        {sheet && names.length > 0 && (
          // Another table begins with a new mapping; another encoding of the same columns keeps it.
          <Rows key={keyOf(sheet)} template={template} names={names} optional={optional} sheet={sheet} />
        )}
      </Stack>
    </Page>
  );
}

function keyOf({ name, worksheet, columns, rows }: Sheet): string {
  return JSON.stringify([name, worksheet, columns, rows.length]);
}
