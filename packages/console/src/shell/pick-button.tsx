import type { Media } from '@figurehead/sdk';
import { Button, type ButtonProps, FileButton, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure, useInputState } from '@mantine/hooks';
import { keepPreviousData } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useRead } from '../api/client.js';
import { formatBytes, formatDuration } from '../lib/format.js';
import { IconMovie, IconMusic, IconPhoto, IconUpload } from './icons.js';
import { SearchField } from './search-field.js';
import { Empty, Loaded } from './states.js';
import { type Picked, pickedOf, useUploadedMedium } from './uploaded-medium.js';

const KINDS = {
  image: { title: 'Choose a picture', accept: 'image/*', icon: IconPhoto, upload: 'Upload a picture' },
  video: { title: 'Choose a clip', accept: 'video/*', icon: IconMovie, upload: 'Upload a clip' },
  audio: { title: 'Choose music', accept: 'audio/*', icon: IconMusic, upload: 'Upload a sound' },
} as const;

const MAX_SHOWN = 60;

/** A button that lets the user choose: pictures, clips or sounds of the library; an upload; or an external URL. */
export function PickButton(
  props: ButtonProps & {
    readonly kind: keyof typeof KINDS;
    /** Use of the chosen sound; music by default. */
    readonly use?: string;
    readonly onPick: (picked: Picked) => void;
    readonly children: ReactNode;
  },
) {
  const { kind, use = KINDS[kind].title, onPick, ...look } = props;
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button onClick={open} {...look} />
      <Modal opened={opened} onClose={close} title={use} size="lg">
        <Choice
          kind={kind}
          onPick={(picked) => {
            onPick(picked);
            close();
          }}
        />
      </Modal>
    </>
  );
}

function Choice({ kind, onPick }: { readonly kind: keyof typeof KINDS; readonly onPick: (picked: Picked) => void }) {
  const { accept, upload: uploadLabel, icon: Icon } = KINDS[kind];
  const [search, setSearch] = useState('');
  const [address, setAddress] = useInputState('');
  const media = useRead(
    ['media', kind, { search }],
    (api, call) => api.listMedia({ query: { limit: MAX_SHOWN, type: kind, ...(search && { search }) } }, call),
    {
      placeholderData: keepPreviousData,
      refetchInterval: ({ state }) => (state.data?.media.some((one) => one.status === 'processing') ? 1500 : false),
    },
  );
  const upload = useUploadedMedium(onPick);
  return (
    <Stack>
      <Group align="flex-end">
        <SearchField value={search} onChange={setSearch} style={{ flex: '1 1 160px' }} />
        <FileButton accept={accept} onChange={(file) => file && upload.mutate(file)}>
          {(button) => (
            <Button {...button} variant="light" leftSection={<IconUpload size={16} />} loading={upload.isPending}>
              {uploadLabel}
            </Button>
          )}
        </FileButton>
      </Group>
      <Loaded query={media} height={140}>
        {({ media: list, total }) => {
          const found = list.filter((one) => one.url && one.status === 'ready');
          if (found.length === 0) {
            return (
              <Empty icon={<Icon />} title={search ? 'No such name' : 'Nothing here yet'}>
                {search ? 'Try fewer letters.' : 'Uploads stay in the library, for all videos of this workspace.'}
              </Empty>
            );
          }
          return (
            <ul className="fh-tiles-small fh-plain">
              {found.map((one) => (
                <li key={one._id}>
                  <button type="button" className="fh-pick" onClick={() => onPick(pickedOf(one))}>
                    <Thumbnail medium={one} />
                    <span>
                      <Text component="b" size="xs" fw={600} truncate display="block">
                        {one.name}
                      </Text>
                      <Text component="small" size="xs" c="dimmed" display="block">
                        {one.duration === undefined ? formatBytes(one.size) : formatDuration(one.duration)}
                      </Text>
                    </span>
                  </button>
                </li>
              ))}
              {total > list.length && (
                <Text component="li" size="sm" c="dimmed">
                  The first {list.length} of {total.toLocaleString('en')}: find the others by name.
                </Text>
              )}
            </ul>
          );
        }}
      </Loaded>
      <Group align="flex-end" gap="xs">
        <TextInput
          label="Or its URL"
          placeholder="https://…"
          type="url"
          value={address}
          onChange={setAddress}
          style={{ flex: 1 }}
        />
        <Button
          variant="default"
          disabled={!/^https?:\/\//.test(address)}
          onClick={() => onPick({ url: address.trim() })}
        >
          Use it
        </Button>
      </Group>
    </Stack>
  );
}

function Thumbnail({ medium }: { readonly medium: Media }) {
  const picture = medium.thumbnail ?? (medium.type === 'image' ? medium.url : undefined);
  const Icon = KINDS[medium.type].icon;
  if (picture) return <img src={picture} alt="" loading="lazy" />;
  return (
    <span className="fh-pick-icon" aria-hidden="true">
      <Icon size={30} stroke={1.4} />
    </span>
  );
}
