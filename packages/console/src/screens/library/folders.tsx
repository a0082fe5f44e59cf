import { ActionIcon, Anchor, Button, Card, Group, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { useAction, useApi } from '../../api/client.js';
import { confirmLoss } from '../../lib/confirm.js';
import { IconFolder, IconPlus, IconTrash } from '../../shell/icons.js';
import { Empty, Loaded } from '../../shell/states.js';

/** Folders of videos. */
export function Folders() {
  const api = useApi();
  const [name, setName] = useState('');
  const folders = useQuery({
    queryKey: ['folders'],
    queryFn: ({ signal }) => api.listFolders({ query: { limit: 100 } }, { signal }),
  });
  const changes = [['folders'], ['apiConfig']];
  const create = useAction(() => api.createFolder({ body: { name: name.trim() } }), {
    changes,
    onDone: () => setName(''),
  });
  const remove = useAction((folderId: string) => api.deleteFolder({ folderId }), {
    changes,
    done: 'The folder was deleted; its videos were kept.',
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim()) create.mutate();
  };
  return (
    <Loaded query={folders}>
      {(list) => (
        <Stack maw={640}>
          <Group component="form" onSubmit={submit} align="flex-end">
            <TextInput
              label="New folder"
              style={{ flex: 1 }}
              maxLength={200}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Button
              type="submit"
              leftSection={<IconPlus size={17} />}
              disabled={!name.trim()}
              loading={create.isPending}
            >
              Add
            </Button>
          </Group>
          {list.folders.length === 0 && (
            <Empty icon={<IconFolder />} title="No folders">
              Folders keep a long list of videos in order.
            </Empty>
          )}
          {list.folders.map((folder) => (
            <Card key={folder._id} padding="sm">
              <Group justify="space-between" wrap="nowrap">
                <Anchor component={Link} href={`/videos?folderId=${folder._id}`} fw={600}>
                  {folder.name}
                </Anchor>
                <ActionIcon
                  aria-label={`Delete the folder ${folder.name}`}
                  onClick={() =>
                    confirmLoss(`Delete the folder ${folder.name}? Its videos stay.`) && remove.mutate(folder._id)
                  }
                >
                  <IconTrash size={17} />
                </ActionIcon>
              </Group>
            </Card>
          ))}
        </Stack>
      )}
    </Loaded>
  );
}
