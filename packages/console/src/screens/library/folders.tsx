import { Anchor, Button, Card, Group, Stack, TextInput } from '@mantine/core';
import { useInputState } from '@mantine/hooks';
import { Link } from 'wouter';
import { useAction, useApi } from '../../api/client.js';
import { useFolders } from '../../api/lists.js';
import { submits } from '../../lib/submit.js';
import { DeleteIcon } from '../../shell/action-buttons.js';
import { IconFolder, IconPlus } from '../../shell/icons.js';
import { Empty, Loaded } from '../../shell/states.js';

/** Folders of videos. */
export function Folders() {
  const api = useApi();
  const [name, setName] = useInputState('');
  const folders = useFolders();
  const changes = [['folders'], ['apiConfig']];
  const create = useAction(() => api.createFolder({ body: { name: name.trim() } }), {
    changes,
    onDone: () => setName(''),
  });
  const remove = useAction((folderId: string) => api.deleteFolder({ folderId }), {
    changes,
    done: 'The folder was deleted; its videos were kept.',
  });
  return (
    <Loaded query={folders}>
      {(list) => (
        <Stack maw={640}>
          <Group component="form" onSubmit={submits(() => name.trim() && create.mutate())} align="flex-end">
            <TextInput label="New folder" style={{ flex: 1 }} maxLength={200} value={name} onChange={setName} />
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
                <DeleteIcon
                  label={`Delete the folder ${folder.name}`}
                  question={`Delete the folder ${folder.name}? Its videos stay.`}
                  act={remove}
                  id={folder._id}
                />
              </Group>
            </Card>
          ))}
        </Stack>
      )}
    </Loaded>
  );
}
