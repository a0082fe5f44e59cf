import { Pagination } from '@mantine/core';

/** Pages of a list, below it; nothing when all of it fits on one. */
export function ListPages(props: {
  /** Number of entries, and how many are on a page. */
  readonly total: number;
  readonly limit: number;
  /** From 1. */
  readonly page: number;
  readonly onChange: (page: number) => void;
}) {
  const { total, limit, page, onChange } = props;
  if (total <= limit) return null;
  return (
    <Pagination
      mt="lg"
      total={Math.ceil(total / limit)}
      value={page}
      onChange={onChange}
      getControlProps={(control) => ({ 'aria-label': `${control} page` })}
    />
  );
}
