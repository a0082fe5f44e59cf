import type { Media } from '@figurehead/sdk';
import { Button, type ButtonProps, FileButton, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure, useInputState } from '@mantine/hooks';
import { keepPreviousData } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { allOf, useRead } from '../api/client.js';
import { contains } from '../lib/contains.js';
import { formatBytes, formatDuration } from '../lib/format.js';
import { IconMovie, IconMusic, IconPhoto, IconSearch, IconUpload } from './icons.js';
import { Empty, Loaded, Waiting } from './states.js';
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
  const [words, setWords] = useInputState('');
  const [address, setAddress] = useInputState('');
  // Names are found in the whole library; without one, its newest page is enough.
  const searching = words.trim() !== '';
  const media = useRead(
    ['media', kind, { searching }],
    async (api, call) => {
      const list = api.listMedia({ query: { limit: 100, type: kind } }, call);
      if (!searching) return list;
      const all = await allOf(list);
      return { media: all, total: all.length };
    },
    {
      placeholderData: keepPreviousData,
      refetchInterval: ({ state }) => (state.data?.media.some((one) => one.status === 'processing') ? 1500 : false),
    },
  );
  const upload = useUploadedMedium(onPick);
  return (
    <Stack>
      <Group align="flex-end">
        <TextInput
          label="Find"
          placeholder="Name"
          leftSection={<IconSearch size={16} />}
          value={words}
          onChange={setWords}
          style={{ flex: '1 1 160px' }}
        />
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
          const isPart = !searching && total > list.length;
          const found = list.filter((one) => one.url && one.status === 'ready' && contains(one.name, words));
          if (found.length === 0 && media.isPlaceholderData) return <Waiting />;
          if (found.length === 0) {
            return (
              <Empty icon={<Icon />} title={list.length === 0 ? 'Nothing here yet' : 'No such name'}>
                {list.length === 0
                  ? 'Uploads stay in the library, for all videos of this workspace.'
                  : 'Try fewer letters.'}
              </Empty>
            );
          }
          return (
            <ul className="fh-tiles-small fh-plain">
              {found.slice(0, MAX_SHOWN).map((one) => (
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
              {(found.length > MAX_SHOWN || isPart) && (
                <Text component="li" size="sm" c="dimmed">
                  The first {Math.min(MAX_SHOWN, found.length)} of{' '}
                  {(isPart ? total : found.length).toLocaleString('en')}: find the others by name.
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
