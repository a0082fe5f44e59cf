import { Pagination } from '@mantine/core';
import { useEffect } from 'react';

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
  const last = Math.ceil(total / limit);
  // The last item of the last page was deleted, or a bookmark is old.
  useEffect(() => {
    if (last > 0 && page > last) onChange(last);
  }, [last, page, onChange]);
  if (last <= 1) return null;
  return (
    <Pagination
      mt="lg"
      total={last}
      value={page}
      onChange={onChange}
      getControlProps={(control) => ({ 'aria-label': `${control} page` })}
    />
  );
}
