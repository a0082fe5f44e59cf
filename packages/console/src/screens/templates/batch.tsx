import type { Video } from '@figurehead/sdk';
import { placeholdersOf } from '@figurehead/sdk/document';
import { Badge, Button, Card, Code, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { useAction } from '../../api/client.js';
import { useVideo } from '../../api/lists.js';
import { count } from '../../lib/format.js';
import { DropZone } from '../../shell/drop-zone.js';
import { Page } from '../../shell/page.js';
import { Loaded } from '../../shell/states.js';
import { Rows } from './rows.js';
import { readSheet, type Sheet } from './sheet.js';

/** Fills a template from a CSV and renders a video for each row. */
export default function Batch({ videoId }: { readonly videoId: string }) {
  const template = useVideo(videoId);
  return <Loaded query={template}>{(video) => <Filling template={video} />}</Loaded>;
}

function Filling({ template }: { readonly template: Video }) {
  const names = placeholdersOf(template.slides);
  const [sheet, setSheet] = useState<Sheet>();
  const open = useAction(readSheet, { onDone: setSheet });
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
          <DropZone
            accept=".csv,text/csv"
            title={sheet ? `${sheet.name}: ${count(sheet.rows.length, 'row')}` : 'Drop a CSV file here'}
            about="The first line contains the column names. Up to 200 rows at once."
            busy={open.isPending}
            onFile={(file) => open.mutate(file)}
          />
        </Card>
        {sheet && names.length > 0 && <Rows key={sheet.name} template={template} names={names} sheet={sheet} />}
      </Stack>
    </Page>
  );
}
