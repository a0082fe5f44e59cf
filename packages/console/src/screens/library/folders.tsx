import type { Folder } from '@figurehead/sdk';
import { Anchor, Card, Group, Stack, TextInput } from '@mantine/core';
import { Link } from 'wouter';
import { useAction, useApi } from '../../api/client.js';
import { useServerForm } from '../../api/form.js';
import { useFolders } from '../../api/lists.js';
import { DeleteIcon, SubmitButton } from '../../shell/action-buttons.js';
import { IconFolder, IconPlus } from '../../shell/icons.js';
import { Empty, Loaded } from '../../shell/states.js';

/** Folders of videos. */
export function Folders() {
  const api = useApi();
  const folders = useFolders();
  const changes = [['folders'], ['apiConfig']];
  const form = useServerForm({ name: '' }, ({ name }) => api.createFolder({ body: { name: name.trim() } }), {
    changes,
    onDone: () => form.reset(),
  });
  const rename = useAction(
    async ({ folder, name }: { folder: Folder; name: string }) => {
      if (name !== '' && name !== folder.name) await api.updateFolder({ folderId: folder._id, body: { name } });
    },
    { changes },
  );
  const remove = useAction((folderId: string) => api.deleteFolder({ folderId }), {
    changes,
    done: 'The folder was deleted; its videos were kept.',
  });
  return (
    <Loaded query={folders}>
      {(list) => (
        <Stack maw={640}>
          <Group component="form" onSubmit={form.send} align="flex-end">
            <TextInput label="New folder" style={{ flex: 1 }} maxLength={200} {...form.getInputProps('name')} />
            <SubmitButton form={form} leftSection={<IconPlus size={17} />} disabled={!form.values.name.trim()}>
              Add
            </SubmitButton>
          </Group>
          {list.length === 0 && (
            <Empty icon={<IconFolder />} title="No folders">
              Folders keep a long list of videos in order. Add one, then choose it on a video’s page.
            </Empty>
          )}
          {list.map((folder) => (
            <Card key={folder._id} padding="sm">
              <Group justify="space-between" wrap="nowrap">
                <TextInput
                  aria-label={`Name of the folder ${folder.name}`}
                  style={{ flex: 1 }}
                  maxLength={200}
                  defaultValue={folder.name}
                  onBlur={({ currentTarget }) => rename.mutate({ folder, name: currentTarget.value.trim() })}
                  onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
                />
                <Anchor component={Link} href={`/videos?folderId=${folder._id}`} size="sm">
                  Show videos
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
