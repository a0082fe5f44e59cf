import { Pagination } from '@mantine/core';
import { useEffect, useRef } from 'react';

/** Pages of a list, right below its element; nothing when all of it fits on one. Another page is shown from its beginning. */
export function ListPages(props: {
  /** Number of entries, and how many are on a page. */
  readonly total: number;
  readonly limit: number;
  /** From 1. */
  readonly page: number;
  readonly onChange: (page: number) => void;
}) {
  const { total, limit, page, onChange } = props;
  const root = useRef<HTMLDivElement>(null);
  const last = Math.ceil(total / limit);
  // The last item of the last page was deleted, or a bookmark is old.
  useEffect(() => {
    if (last > 0 && page > last) onChange(last);
  }, [last, page, onChange]);
  if (last <= 1) return null;
  return (
    <Pagination
      ref={root}
      mt="lg"
      total={last}
      value={page}
      onChange={(next) => {
        onChange(next);
        const list = root.current?.previousElementSibling;
        if (list && list.getBoundingClientRect().top < 0) list.scrollIntoView();
      }}
      getControlProps={(control) => ({ 'aria-label': `${control} page` })}
    />
  );
}
