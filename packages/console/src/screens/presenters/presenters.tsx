import type { Avatar } from '@figurehead/sdk';
import { Badge, Box, Button, Checkbox, FileButton, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCamera, IconTrash, IconUserSquareRounded } from '@tabler/icons-react';
import { useState } from 'react';
import { useAvatars } from '../../api/catalogue.js';
import { useAction, useApi } from '../../api/client.js';
import { confirmLoss } from '../../lib/confirm.js';
import { Page } from '../../shell/page.js';
import { Empty, Loaded } from '../../shell/states.js';

/** Everyone who can appear in videos and live. */
export default function Presenters() {
  const avatars = useAvatars();
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <Page
      title="Presenters"
      width={1640}
      about="Everyone who can appear in your videos and live streams."
      actions={
        <Button variant="default" leftSection={<IconCamera size={18} />} onClick={open}>
          From a photo
        </Button>
      }
    >
      <Loaded query={avatars}>
        {(all) =>
          all.length === 0 ? (
            <Empty icon={<IconUserSquareRounded />} title="Nobody here yet">
              This server has no presenter packs. Ask its operator, or make one from a photo.
            </Empty>
          ) : (
            <div className="fh-tiles">
              {all.map((avatar) => (
                <Presenter key={avatar.id} avatar={avatar} />
              ))}
            </div>
          )
        }
      </Loaded>
      <Modal
        opened={opened}
        onClose={close}
        title="Presenter from a photo"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <PhotoForm onDone={close} />
      </Modal>
    </Page>
  );
}

function Presenter({ avatar }: { readonly avatar: Avatar }) {
  const api = useApi();
  const remove = useAction(() => api.deleteAvatar({ avatarId: avatar.id }), {
    changes: [['avatars']],
    done: 'The presenter is gone.',
  });
  return (
    <Box component="article" className="fh-tile">
      <div className="fh-frame" style={{ aspectRatio: '4 / 3' }}>
        {avatar.thumbnail && <img src={avatar.thumbnail} alt={`${avatar.name}, at rest`} loading="lazy" />}
      </div>
      <Box p="md">
        <Group justify="space-between" wrap="nowrap">
          <Text component="h2" fw={600}>
            {avatar.name}
          </Text>
          {avatar.type === 'photo' && (
            <Button
              size="compact-xs"
              variant="subtle"
              color="red"
              leftSection={<IconTrash size={14} />}
              onClick={() =>
                confirmLoss(`Delete ${avatar.name}? Videos that use them can no longer be rendered.`) && remove.mutate()
              }
              aria-label={`Delete ${avatar.name}`}
            >
              Delete
            </Button>
          )}
        </Group>
        <Text size="sm" c="dimmed" ff="monospace" mt={2}>
          {avatar.code}
        </Text>
        <Group gap={6} mt="sm">
          {avatar.realtime && <Badge>Videos and live</Badge>}
          {!avatar.realtime && <Badge color="gray">Videos</Badge>}
          {avatar.type === 'photo' && <Badge color="orange">Photo</Badge>}
          {avatar.status === 'processing' && <Badge color="blue">In the making</Badge>}
          {avatar.status === 'error' && <Badge color="red">Failed</Badge>}
          {avatar.defaultVoice && <Badge color="gray">Voice {avatar.defaultVoice.voice}</Badge>}
        </Group>
        {avatar.error && (
          <Text size="xs" c="var(--mantine-color-error)" mt={6}>
            {avatar.error}
          </Text>
        )}
      </Box>
    </Box>
  );
}

function PhotoForm({ onDone }: { readonly onDone: () => void }) {
  const api = useApi();
  const [name, setName] = useState('');
  const [gender, setGender] = useState<'female' | 'male' | 'other'>('female');
  const [file, setFile] = useState<File | null>(null);
  const [agreed, setAgreed] = useState(false);
  const create = useAction(
    async () => {
      if (!file) throw new Error('Choose a photo first.');
      return api.createAvatar({
        body: { name: name.trim(), gender, image: { name: file.name, data: await dataUrl(file) } },
      });
    },
    { changes: [['avatars']], done: 'The presenter is being made.', onDone },
  );
  return (
    <Stack>
      <TextInput label="Name" required value={name} onChange={(event) => setName(event.currentTarget.value)} />
      <Select
        label="Voice and pronouns"
        allowDeselect={false}
        data={[
          { value: 'female', label: 'Female' },
          { value: 'male', label: 'Male' },
          { value: 'other', label: 'Other' },
        ]}
        value={gender}
        onChange={(value) => value && setGender(value as 'female')}
      />
      <Group>
        <FileButton accept="image/png,image/jpeg,image/webp" onChange={setFile}>
          {(button) => (
            <Button {...button} variant="default" leftSection={<IconCamera size={17} />}>
              {file ? 'Another photo' : 'Choose a photo'}
            </Button>
          )}
        </FileButton>
        <Text size="sm" c="dimmed">
          {file ? file.name : 'One face, looking at you, evenly lit.'}
        </Text>
      </Group>
      <Checkbox
        label="The person in the photo has agreed to this use, or it is me."
        checked={agreed}
        onChange={(event) => setAgreed(event.currentTarget.checked)}
      />
      <Button
        disabled={!agreed || !file || name.trim() === ''}
        loading={create.isPending}
        onClick={() => create.mutate()}
      >
        Make the presenter
      </Button>
    </Stack>
  );
}

function dataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error('The photo could not be read.'));
    reader.readAsDataURL(file);
  });
}
