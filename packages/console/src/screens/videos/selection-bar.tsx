import { Button, Group, Select, Text } from '@mantine/core';
import { useAction, useApi } from '../../api/client.js';
import { useFolders } from '../../api/lists.js';
import { noteRender } from '../../api/render-notices.js';
import { count } from '../../lib/format.js';
import { tell } from '../../lib/notices.js';
import { ActButton } from '../../shell/action-buttons.js';
import { IconPlayerPlay, IconTrash, IconX } from '../../shell/icons.js';

/** Value of the folder that stands for none. */
const NO_FOLDER = 'none';

/** What can be done with several selected videos at once. */
export function SelectionBar(props: { readonly ids: readonly string[]; readonly onClear: () => void }) {
  const { ids, onClear } = props;
  const api = useApi();
  const folders = useFolders().data ?? [];
  const changes = [['videos'], ['apiConfig']];
  /** One call after the other; those that fail are told, the others are done. */
  const each = (done: string, call: (videoId: string) => Promise<unknown>) => async () => {
    const failed: unknown[] = [];
    for (const id of ids) await call(id).catch((error: unknown) => failed.push(error));
    if (failed.length === ids.length) throw failed[0];
    tell({ message: `${count(ids.length - failed.length, 'video')} ${done}.` });
    if (failed.length > 0) tell({ failed: `${count(failed.length, 'video')} failed`, message: String(failed[0]) });
  };
  const options = { changes, onDone: onClear };
  const render = useAction(
    each('queued', async (videoId) => {
      await api.renderVideo({ videoId });
      noteRender(videoId);
    }),
    options,
  );
  const remove = useAction(
    each('deleted', (videoId) => api.deleteVideo({ videoId })),
    options,
  );
  const move = useAction(async (folder: string) => {
    const folderId = folder === NO_FOLDER ? null : folder;
    await each('moved', (videoId) => api.updateVideo({ videoId, body: { folderId } }))();
  }, options);
  return (
    <Group className="fh-selection" gap="sm" role="region" aria-label="Selected videos">
      <Text fw={600} size="sm" role="status">
        {count(ids.length, 'video')} selected
      </Text>
      <Select
        aria-label="Move to folder"
        placeholder="Move to folder"
        w={180}
        data={[
          { value: NO_FOLDER, label: 'No folder' },
          ...folders.map(({ _id, name }) => ({ value: _id, label: name })),
        ]}
        value={null}
        disabled={move.isPending}
        onChange={(folder) => folder && move.mutate(folder)}
      />
      <ActButton act={render} variant="default" leftSection={<IconPlayerPlay size={16} />}>
        Render
      </ActButton>
      <ActButton
        act={remove}
        question={`Delete ${count(ids.length, 'video')}? Their files and links go with them.`}
        variant="default"
        color="red"
        leftSection={<IconTrash size={16} />}
      >
        Delete
      </ActButton>
      <Button variant="subtle" color="gray" leftSection={<IconX size={16} />} onClick={onClear}>
        Clear
      </Button>
    </Group>
  );
}
