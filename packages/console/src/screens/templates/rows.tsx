import type { Video } from '@figurehead/sdk';
import { fillTemplate, MAX_TEMPLATE_ROWS } from '@figurehead/sdk/document';
import type { Sheet } from '@figurehead/sdk/tables';
import { Alert, Button, Card, Group, List, Pagination, Select, Switch, Text, Title } from '@mantine/core';
import { useInputState } from '@mantine/hooks';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAction, useApi } from '../../api/client.js';
import { count } from '../../lib/format.js';
import { ActButton } from '../../shell/action-buttons.js';
import { DataTable } from '../../shell/data-table.js';
import { IconEye, IconPlayerPlay } from '../../shell/icons.js';
import { RowPreview } from './row-preview.js';
import { checkRows, guessColumn, guessNameColumn } from './table-rows.js';

const ROWS_PER_PAGE = 10;
/** Key for the name of each video, in addition to those of the placeholders. */
const NAME_KEY = 'figurehead:name';

type Row = Readonly<Record<string, string>>;

/** Mapping of columns to placeholders, the resulting rows, and the batch itself. */
export function Rows(props: {
  readonly template: Video;
  readonly names: readonly string[];
  /** Those that rows may leave empty. */
  readonly optional: ReadonlySet<string>;
  readonly sheet: Sheet;
}) {
  const { template, names, optional, sheet } = props;
  const [columns, setColumns] = useState<Readonly<Record<string, string | null>>>(() =>
    Object.fromEntries(names.map((name) => [name, guessColumn(name, sheet.columns)])),
  );
  const [nameColumn, setNameColumn] = useState<string | null>(guessNameColumn(sheet.columns) ?? null);
  const rows = sheet.rows.map((row) => ({
    ...Object.fromEntries(names.map((name) => [name, row[columns[name] ?? ''] ?? ''])),
    ...(nameColumn !== null && { [NAME_KEY]: row[nameColumn] ?? '' }),
  }));
  const needed = names.filter((name) => !optional.has(name));
  const unmapped = needed.filter((name) => !columns[name]);
  const problems = unmapped.length > 0 ? [] : checkRows(rows, needed);
  return (
    <Card>
      <Title order={2} mb="sm">
        3. Columns and rows
      </Title>
      <Group gap="md" mb="lg" align="flex-start">
        {names.map((name) => (
          <Select
            allowDeselect
            key={name}
            label={name}
            w={200}
            placeholder="Choose a column"
            data={[...sheet.columns]}
            value={columns[name] ?? null}
            onChange={(column) => setColumns((now) => ({ ...now, [name]: column }))}
          />
        ))}
        <Select
          allowDeselect
          label="Name of each video"
          w={200}
          clearable
          placeholder="The template’s name"
          data={[...sheet.columns]}
          value={nameColumn}
          onChange={setNameColumn}
        />
      </Group>
      <RowTable template={template} names={names} rows={rows} />
      {problems.length > 0 && (
        <Alert color="orange" mt="md" title={`${count(problems.length, 'row')} with missing values`}>
          <List size="sm">
            {problems.slice(0, 8).map((problem) => (
              <List.Item key={problem.row}>
                Row {problem.row}: {problem.message}
              </List.Item>
            ))}
          </List>
          <Text size="sm" mt={4}>
            You can render them anyway; the placeholder is then left empty.
          </Text>
        </Alert>
      )}
      {rows.length > MAX_TEMPLATE_ROWS && (
        <Alert color="red" mt="md">
          {rows.length} rows are more than the {MAX_TEMPLATE_ROWS} of one batch. Split the file.
        </Alert>
      )}
      <Start template={template} rows={rows} blocked={unmapped.length > 0 || rows.length > MAX_TEMPLATE_ROWS} />
    </Card>
  );
}

/** The resulting rows, each with a preview on request. */
function RowTable(props: {
  readonly template: Video;
  readonly names: readonly string[];
  readonly rows: readonly Row[];
}) {
  const { template, names, rows } = props;
  const [page, setPage] = useState(1);
  const [previewed, setPreviewed] = useState<number | null>(null);
  const first = (page - 1) * ROWS_PER_PAGE;
  const shown = previewed === null ? undefined : rows[previewed];
  return (
    <>
      <DataTable
        label="Rows of the table"
        minWidth={320 + 120 * names.length}
        rows={rows.slice(first, first + ROWS_PER_PAGE).map((row, index) => ({ row, index: first + index }))}
        keyOf={({ index }) => String(index)}
        columns={[
          {
            title: 'Row',
            narrow: 'labelled',
            width: 50,
            cell: ({ index }) => index + 1,
            look: () => ({ c: 'dimmed' }),
          },
          {
            title: 'Preview',
            width: 110,
            cell: ({ index }) => (
              <Button
                size="compact-sm"
                variant="default"
                leftSection={<IconEye size={15} />}
                aria-label={`Preview row ${index + 1}`}
                onClick={() => setPreviewed(index)}
              >
                Preview
              </Button>
            ),
          },
          {
            title: 'Video',
            narrow: 'main',
            cell: ({ row }) => fillTemplate({ name: template.name, slides: [] }, row, NAME_KEY).name,
            look: () => ({ fw: 600 }),
          },
          ...names.map((name) => ({
            title: name,
            narrow: 'labelled' as const,
            cell: ({ row }: { row: Row }) => row[name] || '—',
            look: () => ({ miw: 100, style: { overflowWrap: 'anywhere' as const } }),
          })),
        ]}
      />
      {rows.length > ROWS_PER_PAGE && (
        <Pagination
          mt="sm"
          size="sm"
          total={Math.ceil(rows.length / ROWS_PER_PAGE)}
          value={page}
          onChange={setPage}
          getControlProps={(control) => ({ 'aria-label': `${control} rows` })}
        />
      )}
      {shown && (
        <RowPreview
          template={template}
          filled={fillTemplate(template, shown, NAME_KEY)}
          row={(previewed ?? 0) + 1}
          onClose={() => setPreviewed(null)}
        />
      )}
    </>
  );
}

/** The last settings, and the button that starts the batch. */
function Start(props: { readonly template: Video; readonly rows: readonly Row[]; readonly blocked: boolean }) {
  const { template, rows } = props;
  const api = useApi();
  const [, go] = useLocation();
  const [fit, setFit] = useInputState(true);
  const [mail, setMail] = useInputState(false);
  const send = useAction(
    () =>
      api.renderTemplate({
        videoId: template._id,
        body: { templateData: [...rows], nameKey: NAME_KEY, fitTextBox: fit, emailNotification: mail },
      }),
    {
      changes: [['videos'], ['apiConfig']],
      done: `${count(rows.length, 'video')} queued.`,
      onDone: ({ requestId }) => go(`/batches/${requestId}`),
    },
  );
  return (
    <>
      <Group mt="lg" gap="xl">
        <Switch label="Shrink text to fit its box" checked={fit} onChange={setFit} />
        <Switch
          label="E-mail me when all are done"
          description="Without a mail server, it is kept in the outbox of this console."
          checked={mail}
          onChange={setMail}
        />
      </Group>
      <ActButton
        act={send}
        mt="lg"
        style={{ alignSelf: 'flex-start' }}
        leftSection={<IconPlayerPlay size={17} />}
        disabled={props.blocked || rows.length === 0}
      >
        Render {count(rows.length, 'video')}
      </ActButton>
    </>
  );
}
