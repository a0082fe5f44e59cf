import type { Media } from '@figurehead/sdk';
import { ActionIcon, Badge, Box, CopyButton, Group, Select, Stack, Text } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { useAction, useApi, useRead } from '../../api/client.js';
import { formatBytes } from '../../lib/format.js';
import { DeleteIcon } from '../../shell/action-buttons.js';
import { DropZone } from '../../shell/drop-zone.js';
import { IconCheck, IconLink, IconMusic, IconPhoto } from '../../shell/icons.js';
import { ListPages } from '../../shell/list-pages.js';
import { SearchField } from '../../shell/search-field.js';
import { SoundPlayer } from '../../shell/sound-player.js';
import { Empty, Loaded } from '../../shell/states.js';

const LIMIT = 24;

const KINDS = [
  { value: 'image', label: 'Pictures' },
  { value: 'video', label: 'Clips' },
  { value: 'audio', label: 'Sounds' },
];

/** Pictures, clips and sounds of the workspace. */
export function MediaList() {
  const api = useApi();
  const [type, setType] = useState<Media['type'] | null>(null);
  const [search, setSearch] = useState('');
  const [page, setPage] = useState(1);
  const media = useRead(
    ['media', { type, search, page }],
    (api, call) =>
      api.listMedia({ query: { page, limit: LIMIT, ...(type && { type }), ...(search && { search }) } }, call),
    {
      placeholderData: keepPreviousData,
      refetchInterval: ({ state }) => (state.data?.media.some((one) => one.status === 'processing') ? 1500 : false),
    },
  );
  const changes = [['media'], ['apiConfig']];
  const upload = useAction((file: File) => api.createMedia({ file, body: { name: file.name } }), {
    changes,
    done: 'Uploaded.',
  });
  const remove = useAction((mediaId: string) => api.deleteMedia({ mediaId }), { changes, done: 'Deleted.' });
  return (
    <Stack gap="lg">
      <Loaded query={media}>
        {(list) => (
          <Stack gap="lg">
            <DropZone
              accept="image/*,video/*,audio/*"
              title="Drop a picture, clip or sound"
              about="Then add it to a slide, or use its link in a template’s table."
              busy={upload.isPending}
              onFile={(file) => upload.mutate(file)}
            />
            {(list.total > 0 || type || search) && (
              <Group gap="sm">
                <SearchField
                  value={search}
                  onChange={(value) => {
                    setSearch(value);
                    setPage(1);
                  }}
                />
                <Select
                  allowDeselect
                  label="Kind"
                  w={160}
                  clearable
                  placeholder="All"
                  data={KINDS}
                  value={type}
                  onChange={(value) => {
                    setType(value as typeof type);
                    setPage(1);
                  }}
                />
              </Group>
            )}
            {list.total === 0 &&
              (search ? (
                <Empty icon={<IconPhoto />} title="No matches">
                  Nothing has these letters in its name.
                </Empty>
              ) : (
                <Empty icon={<IconPhoto />} title={type ? 'Nothing of this kind yet' : 'Nothing uploaded yet'}>
                  Logos, screenshots, background music: what you upload stays on this server.
                </Empty>
              ))}
            <div className="fh-tiles">
              {list.media.map((one) => (
                <Box key={one._id} component="article" className="fh-tile">
                  <div className="fh-frame">
                    {one.type !== 'audio' ? (
                      <IconPhoto size={34} stroke={1.4} />
                    ) : one.url ? (
                      <Box p="sm" w="100%">
                        <SoundPlayer preload="none" label={one.name} src={one.url} />
                      </Box>
                    ) : (
                      <IconMusic size={34} stroke={1.4} />
                    )}
                    {(one.thumbnail ?? (one.type === 'image' ? one.url : undefined)) && (
                      <img src={one.thumbnail ?? one.url} alt={one.name} loading="lazy" />
                    )}
                  </div>
                  <Group p="sm" justify="space-between" wrap="nowrap" gap="xs">
                    <Box style={{ minWidth: 0 }}>
                      <Text size="sm" fw={600} truncate title={one.name}>
                        {one.name}
                      </Text>
                      <Text size="xs" c="dimmed">
                        {formatBytes(one.size)}
                        {one.width ? ` · ${one.width} × ${one.height}` : ''}
                      </Text>
                      {one.status !== 'ready' && (
                        <Badge mt={4} color={one.status === 'error' ? 'red' : 'blue'}>
                          {one.status === 'error' ? (one.error ?? 'Failed') : 'Being read'}
                        </Badge>
                      )}
                    </Box>
                    <Group gap={0} wrap="nowrap">
                      {one.url && (
                        <CopyButton value={one.url}>
                          {({ copied, copy }) => (
                            <ActionIcon aria-label={`Copy the link of ${one.name}`} onClick={copy}>
                              {copied ? <IconCheck size={17} /> : <IconLink size={17} />}
                            </ActionIcon>
                          )}
                        </CopyButton>
                      )}
                      <DeleteIcon
                        label={`Delete ${one.name}`}
                        question={`Delete ${one.name}?`}
                        act={remove}
                        id={one._id}
                      />
                    </Group>
                  </Group>
                </Box>
              ))}
            </div>
            <ListPages total={list.total} limit={LIMIT} page={page} onChange={setPage} />
          </Stack>
        )}
      </Loaded>
    </Stack>
  );
}
