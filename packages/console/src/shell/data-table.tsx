import { Table, type TableTdProps } from '@mantine/core';
import type { ReactNode } from 'react';

/** A column: its heading, and a row's cell with its properties. */
export interface Column<R> {
  readonly title: string;
  readonly cell: (row: R) => ReactNode;
  readonly look?: (row: R) => TableTdProps;
  readonly right?: boolean;
  readonly width?: number;
  /** Where rows become blocks on narrow screens: names the row, or shows its heading before the cell. */
  readonly narrow?: 'main' | 'labelled';
}

/** A table that scrolls by itself on narrow screens, or whose rows become blocks there, if a column says what it then shows. */
export function DataTable<R>(props: {
  readonly label: string;
  /** px. */
  readonly minWidth: number;
  readonly columns: readonly Column<R>[];
  readonly rows: readonly R[];
  readonly keyOf: (row: R) => string;
}) {
  const { label, minWidth, columns, rows, keyOf } = props;
  const stacks = columns.some(({ narrow }) => narrow);
  const side = (column: Column<R>) => (column.right ? { ta: 'right' as const } : {});
  return (
    <Table.ScrollContainer
      minWidth={minWidth}
      {...(stacks && { className: 'fh-stacks' })}
      // A scrollbar shows that more columns follow.
      scrollAreaProps={{ type: 'auto', viewportProps: { tabIndex: 0, 'aria-label': label } }}
    >
      <Table verticalSpacing="sm" horizontalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column.title} {...side(column)} w={column.width}>
                {column.title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)}>
              {columns.map((column) => (
                <Table.Td
                  key={column.title}
                  {...side(column)}
                  {...(column.narrow === 'main' && { 'data-main': true })}
                  {...(column.narrow === 'labelled' && { 'data-label': column.title })}
                  {...column.look?.(row)}
                >
                  {column.cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
