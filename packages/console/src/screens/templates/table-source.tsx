import { ENCODINGS, isEncoding, pastedSheet, readSheet, type Sheet, type SheetChoice } from '@figurehead/sdk/tables';
import { Group, Select, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useAction } from '../../api/client.js';
import { count } from '../../lib/format.js';
import { DropZone } from '../../shell/drop-zone.js';

const ENCODING_OPTIONS = Object.entries(ENCODINGS).map(([value, label]) => ({ value, label }));

/** A table from a file or the clipboard; how the file was read is shown and can be changed. */
export function TableSource(props: { readonly sheet: Sheet | undefined; readonly onSheet: (sheet: Sheet) => void }) {
  const { sheet, onSheet } = props;
  const [file, setFile] = useState<File>();
  const open = useAction(
    async ({ from, choice }: { readonly from: File; readonly choice?: Omit<SheetChoice, 'language'> }) => ({
      from,
      read: await readSheet(from, { language: navigator.language, ...choice }),
    }),
    {
      onDone: ({ from, read }) => {
        setFile(from);
        onSheet(read);
      },
    },
  );
  const paste = useAction(async (text: string) => pastedSheet(text), {
    onDone: (pasted) => {
      setFile(undefined);
      onSheet(pasted);
    },
  });
  const worksheets = sheet?.worksheets ?? [];
  return (
    <>
      <DropZone
        accept=".csv,.tsv,.txt,.xlsx,text/csv"
        title={sheet ? `${sheet.name}: ${count(sheet.rows.length, 'row')}` : 'Drop a CSV or Excel file here'}
        about="The first line contains the column names. Up to 200 rows at once."
        busy={open.isPending}
        onFile={(from) => open.mutate({ from })}
      />
      <Group mt="md" align="flex-start">
        {file && sheet?.encoding && (
          <Select
            label="Encoding of the file"
            description="Change it when letters are wrong."
            w={280}
            searchable
            data={ENCODING_OPTIONS}
            value={sheet.encoding}
            onChange={(encoding) => isEncoding(encoding) && open.mutate({ from: file, choice: { encoding } })}
          />
        )}
        {file && worksheets.length > 1 && (
          <Select
            label="Worksheet"
            description="One batch reads one worksheet."
            w={280}
            data={[...worksheets]}
            value={sheet?.worksheet ?? null}
            onChange={(worksheet) => worksheet && open.mutate({ from: file, choice: { worksheet } })}
          />
        )}
        <Textarea
          label="Or paste cells of a spreadsheet"
          description="Copied with the column names."
          flex={1}
          miw={220}
          rows={1}
          // A paste is read at once; nothing is edited here.
          value=""
          onChange={() => undefined}
          onPaste={(event) => {
            event.preventDefault();
            paste.mutate(event.clipboardData.getData('text/plain'));
          }}
        />
      </Group>
    </>
  );
}
