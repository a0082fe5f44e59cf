import type { Video } from '@figurehead/sdk';
import {
  Alert,
  Anchor,
  Badge,
  Breadcrumbs,
  Button,
  Card,
  Code,
  Group,
  List,
  Select,
  Stack,
  Switch,
  Table,
  Text,
  Title,
} from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import Papa from 'papaparse';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useAction, useApi } from '../../api/client.js';
import { count } from '../../lib/format.js';
import { DropZone } from '../../shell/drop-zone.js';
import { Page } from '../../shell/page.js';
import { Loaded } from '../../shell/states.js';
import { checkRows, guessColumn, placeholdersOf } from './placeholders.js';

/** Most rows of one batch. */
const MOST_ROWS = 200;

/** Fills in one template from a CSV and sends the rows off. */
export default function Batch({ videoId }: { readonly videoId: string }) {
  const api = useApi();
  const template = useQuery({
    queryKey: ['video', videoId],
    queryFn: ({ signal }) => api.readVideo({ videoId }, { signal }),
  });
  return <Loaded query={template}>{(video) => <Filling template={video} />}</Loaded>;
}

interface Sheet {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, string>>[];
}

function Filling({ template }: { readonly template: Video }) {
  const api = useApi();
  const [, go] = useLocation();
  const names = placeholdersOf(template.slides);
  const [sheet, setSheet] = useState<Sheet>();
  const [columns, setColumns] = useState<Readonly<Record<string, string | null>>>({});
  const [fit, setFit] = useState(true);
  const [mail, setMail] = useState(false);

  const open = useAction(readSheet, {
    onDone: (read) => {
      setSheet(read);
      setColumns(Object.fromEntries(names.map((name) => [name, guessColumn(name, read.columns)])));
    },
  });
  const filled = (sheet?.rows ?? []).map((row) =>
    Object.fromEntries(names.map((name) => [name, row[columns[name] ?? ''] ?? ''])),
  );
  const unmapped = names.filter((name) => !columns[name]);
  const problems = unmapped.length > 0 ? [] : checkRows(filled, names);
  const tooMany = filled.length > MOST_ROWS;

  const send = useAction(
    async () => {
      // A tag of its own finds the rows of this batch again.
      const tag = `batch-${Date.now().toString(36)}`;
      await api.renderTemplate({
        videoId: template._id,
        body: { templateData: filled, tags: [tag], fitTextBox: fit, emailNotification: mail },
      });
      return tag;
    },
    {
      changes: [['videos'], ['apiConfig']],
      done: `${count(filled.length, 'video')} on their way.`,
      onDone: (tag) => go(`/videos?tags=${tag}`),
    },
  );

  return (
    <>
      <Breadcrumbs mb="xs" maw={1180} mx="auto">
        <Anchor component={Link} href="/templates" size="sm">
          Templates
        </Anchor>
        <Text size="sm" c="dimmed">
          {template.name}
        </Text>
      </Breadcrumbs>
      <Page
        title={`Fill in ${template.name}`}
        about="One row of the table becomes one video."
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
              about="The first line names the columns. Up to 200 rows at once."
              busy={open.isPending}
              onFile={(file) => open.mutate(file)}
            />
          </Card>
          {sheet && names.length > 0 && (
            <Card>
              <Title order={2} mb="sm">
                3. Which column goes where
              </Title>
              <Group gap="md" mb="lg">
                {names.map((name) => (
                  <Select
                    key={name}
                    label={name}
                    w={200}
                    placeholder="Choose a column"
                    data={[...sheet.columns]}
                    value={columns[name] ?? null}
                    onChange={(column) => setColumns((now) => ({ ...now, [name]: column }))}
                  />
                ))}
              </Group>
              <Preview names={names} rows={filled} />
              {problems.length > 0 && (
                <Alert color="orange" mt="md" title={`${count(problems.length, 'row')} with gaps`}>
                  <List size="sm">
                    {problems.slice(0, 8).map((problem) => (
                      <List.Item key={problem.row}>
                        Row {problem.row}: {problem.message}
                      </List.Item>
                    ))}
                  </List>
                  <Text size="sm" mt={4}>
                    They can be sent all the same; the placeholder is then left empty.
                  </Text>
                </Alert>
              )}
              {tooMany && (
                <Alert color="red" mt="md">
                  {filled.length} rows are more than the {MOST_ROWS} of one batch. Split the file.
                </Alert>
              )}
              <Group mt="lg" gap="xl">
                <Switch
                  label="Shrink text to fit its box"
                  checked={fit}
                  onChange={(event) => setFit(event.currentTarget.checked)}
                />
                <Switch
                  label="Mail me when all are done"
                  checked={mail}
                  onChange={(event) => setMail(event.currentTarget.checked)}
                />
              </Group>
              <Button
                mt="lg"
                style={{ alignSelf: 'flex-start' }}
                leftSection={<IconPlayerPlay size={17} />}
                disabled={unmapped.length > 0 || filled.length === 0 || tooMany}
                loading={send.isPending}
                onClick={() => send.mutate()}
              >
                Render {count(filled.length, 'video')}
              </Button>
            </Card>
          )}
        </Stack>
      </Page>
    </>
  );
}

function Preview({ names, rows }: { names: readonly string[]; rows: readonly Readonly<Record<string, string>>[] }) {
  return (
    <Table.ScrollContainer
      minWidth={300}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': 'First rows' } }}
    >
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={50}>Row</Table.Th>
            {names.map((name) => (
              <Table.Th key={name}>{name}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.slice(0, 5).map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no id but their place
            <Table.Tr key={index}>
              <Table.Td c="dimmed">{index + 1}</Table.Td>
              {names.map((name) => (
                <Table.Td key={name}>{row[name] || '—'}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

async function readSheet(file: File): Promise<Sheet> {
  const parsed = Papa.parse<Record<string, string>>(await file.text(), { header: true, skipEmptyLines: 'greedy' });
  const columns = (parsed.meta.fields ?? []).filter((name) => name.trim() !== '');
  if (columns.length === 0 || parsed.data.length === 0) throw new Error('This file has no rows below its first line.');
  return { name: file.name, columns, rows: parsed.data };
}
