import { optionsOf } from '@figurehead/sdk/document';
import { Button, Group, Select, TagsInput, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { keepPreviousData } from '@tanstack/react-query';
import { memo, useCallback, useState } from 'react';
import { useSearchParams } from 'wouter';
import { useRead } from '../../api/client.js';
import { useFolders } from '../../api/lists.js';
import { useVideoEvents } from '../../api/video-events.js';
import { count } from '../../lib/format.js';
import { isMoving, STATUS_WORDS } from '../../lib/status.js';
import { IconFilterOff, IconPlus, IconTag } from '../../shell/icons.js';
import { ListPages } from '../../shell/list-pages.js';
import { Page } from '../../shell/page.js';
import { SearchField } from '../../shell/search-field.js';
import { Empty, Loaded } from '../../shell/states.js';
import { BatchTile } from './batch-tile.js';
import { FirstVisit } from './first-visit.js';
import { NewVideo } from './new-video.js';
import { SelectionBar } from './selection-bar.js';
import { VideoCard } from './video-card.js';

const LIMIT = 24;
/** Back leads to the screen before, not to each letter that was typed. */
const REPLACE = { replace: true };

/** All videos: filters in the address, so that a view can be bookmarked and sent on. */
export function Videos() {
  const [creating, { open, close }] = useDisclosure(false);
  const { page, filter, set, clear } = useFilters();
  const { status, kind, tags, folderId, search, sort } = filter;
  // Searched videos are shown one by one.
  const grouped = !search && !status && !tags;
  const [selected, setSelected] = useState<readonly string[]>([]);
  const select = useCallback(
    (id: string) => setSelected((now) => (now.includes(id) ? now.filter((one) => one !== id) : [...now, id])),
    [],
  );
  // Templates have their own page and are only shown here on request.
  const type = kind === 'any' ? null : (kind ?? 'video');
  const live = useVideoEvents();
  const videos = useRead(
    ['videos', { page, status, type, tags, folderId, search, sort, grouped }],
    (api, call) =>
      api.listVideos(
        {
          query: {
            page,
            limit: LIMIT,
            ...(status && { status }),
            ...(type && { type }),
            ...(tags && { tags }),
            ...(folderId && { folderId }),
            ...(search && { search }),
            ...(isOrder(sort) && { sort }),
            grouped,
          },
        },
        call,
      ),
    {
      placeholderData: keepPreviousData,
      // Where events do not come: again soon while something moves, and now and then all the same, for others work here too.
      refetchInterval: ({ state }) =>
        live ? 60_000 : state.data?.videos.some((video) => isMoving(video.status)) ? 1200 : 15_000,
    },
  );

  return (
    <Page
      title="Videos"
      width={1640}
      about="All videos of this workspace."
      actions={
        <Button leftSection={<IconPlus size={18} />} onClick={open}>
          New video
        </Button>
      }
    >
      <Loaded query={videos}>
        {(list) =>
          list.total === 0 && !Object.entries(filter).some(([key, value]) => key !== 'sort' && value) ? (
            <FirstVisit />
          ) : (
            <>
              <Filters found={list.total} />
              {list.total === 0 ? (
                <Empty
                  icon={<IconFilterOff />}
                  title="No matches"
                  action={
                    <Button variant="default" onClick={clear}>
                      Clear filters
                    </Button>
                  }
                >
                  No video matches these filters.
                </Empty>
              ) : (
                <>
                  {selected.length > 0 && <SelectionBar ids={selected} onClear={() => setSelected([])} />}
                  <div className="fh-tiles" data-selecting={selected.length > 0 || undefined}>
                    {list.videos.map((video) =>
                      grouped && video.requestId ? (
                        <BatchTile key={video._id} first={{ ...video, requestId: video.requestId }} />
                      ) : (
                        <VideoCard
                          key={video._id}
                          video={video}
                          selected={selected.includes(video._id)}
                          onSelect={select}
                        />
                      ),
                    )}
                  </div>
                </>
              )}
              <ListPages total={list.total} limit={LIMIT} page={page} onChange={(next) => set('page', String(next))} />
            </>
          )
        }
      </Loaded>
      <NewVideo opened={creating} onClose={close} />
    </Page>
  );
}

/** The filters and the page in the address, and what changes them. */
function useFilters() {
  const [params, setParams] = useSearchParams();
  const of = (key: string) => params.get(key);
  return {
    page: Math.max(1, Number(of('page')) || 1),
    filter: {
      status: of('status'),
      kind: of('type'),
      tags: of('tags'),
      folderId: of('folderId'),
      search: of('search'),
      sort: of('sort'),
    },
    set: (key: string, value: string | null) =>
      setParams((now) => {
        const next = new URLSearchParams(now);
        if (value) next.set(key, value);
        else next.delete(key);
        if (key !== 'page') next.delete('page');
        return next;
      }, REPLACE),
    clear: () => setParams({}, REPLACE),
  };
}

const Filters = memo(function Filters({ found }: { readonly found: number }) {
  const { filter, set } = useFilters();
  const { status, kind, tags, folderId, search, sort } = filter;
  const folders = useFolders();
  const [opened, { toggle }] = useDisclosure(false);
  const active = [status, kind, tags, folderId].filter(Boolean).length;
  return (
    <Group mb="lg" gap="sm" align="flex-end">
      <SearchField value={search ?? ''} onChange={(value) => set('search', value)} />
      <Button hiddenFrom="xs" variant="default" aria-expanded={opened} onClick={toggle}>
        Filters{active > 0 ? ` · ${active}` : ''}
      </Button>
      <div className="fh-filter-more" data-opened={opened || undefined}>
        <Select
          allowDeselect
          label="Status"
          w={150}
          placeholder="Any"
          clearable
          data={optionsOf(STATUS_WORDS)}
          value={status}
          onChange={(value) => set('status', value)}
        />
        <Select
          label="Kind"
          w={140}
          data={[
            { value: 'video', label: 'Videos' },
            { value: 'template', label: 'Templates' },
            { value: 'any', label: 'All' },
          ]}
          value={kind ?? 'video'}
          onChange={(value) => set('type', value === 'video' ? null : value)}
        />
        <TagsInput
          label="Tags"
          w={{ base: '100%', xs: 240 }}
          placeholder={tags ? '' : 'Any of these'}
          leftSection={<IconTag size={16} />}
          value={tags ? tags.split(',') : []}
          onChange={(value) => set('tags', value.join(','))}
        />
        <Select
          allowDeselect
          label="Folder"
          w={180}
          placeholder="All"
          clearable
          nothingFoundMessage="No folders yet"
          data={(folders.data ?? []).map((folder) => ({ value: folder._id, label: folder.name }))}
          value={folderId}
          onChange={(value) => set('folderId', value)}
        />
        <Select
          label="Order"
          w={170}
          data={ORDERS}
          value={isOrder(sort) ? sort : 'created'}
          onChange={(value) => set('sort', value === 'created' ? null : value)}
        />
      </div>
      <Text size="sm" c="dimmed" ml="auto" role="status">
        {count(found, 'video')}
      </Text>
    </Group>
  );
});

const ORDERS = [
  { value: 'created', label: 'Newest first' },
  { value: 'changed', label: 'Last changed first' },
  { value: 'name', label: 'By name' },
] as const;

function isOrder(value: string | null): value is (typeof ORDERS)[number]['value'] {
  return ORDERS.some((order) => order.value === value);
}
