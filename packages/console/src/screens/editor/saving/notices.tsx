import { Alert, Button, Group, Text } from '@mantine/core';
import { Suspense, useState } from 'react';
import { describeError, useAction } from '../../../api/client.js';
import { formatWhen } from '../../../lib/format.js';
import { late } from '../../../lib/late.js';
import { IconAlertTriangle, IconHistory } from '../../../shell/icons.js';
import { useEditor, useEditorState } from '../store.js';
import type { KeptDrafts } from './kept-drafts.js';
import { isSame } from './saving.js';

// Rarely needed, so it is loaded on demand.
const Conflict = late(() => import('./conflict.js'));

/** Shows what is not saved: changes that an earlier editor left behind, a failed save, a change made elsewhere. */
export function SavingNotices({ drafts }: { readonly drafts: KeptDrafts }) {
  const saving = useEditorState((state) => state.saving);
  return (
    <>
      <LeftBehind drafts={drafts} />
      {saving.step === 'failed' && <Failure {...saving} />}
      {saving.step === 'conflict' && (
        <Suspense>
          <Conflict theirs={saving.theirs} />
        </Suspense>
      )}
    </>
  );
}

/** Offers changes that were not saved when an editor of this video was left. */
function LeftBehind({ drafts }: { readonly drafts: KeptDrafts }) {
  const { store, saving } = useEditor();
  const [found, setFound] = useState(() => {
    const { draft } = store.getState();
    const [latest] = drafts.others().filter((kept) => !isSame(kept.draft, draft));
    if (latest === undefined) drafts.dropOthers();
    return latest;
  });
  if (found === undefined) return null;
  const end = () => {
    drafts.dropOthers();
    setFound(undefined);
  };
  return (
    <Alert mb="md" color="orange" role="status" icon={<IconHistory />} title="You have unsaved changes">
      <Text size="sm">
        This browser kept changes of this video from {formatWhen(found.savedAt)}, which were not saved.
      </Text>
      <Group gap="xs" mt="xs">
        <Button
          size="xs"
          onClick={() => {
            saving.resume(found);
            // From here on, this editor keeps them.
            if (saving.keep()) end();
          }}
        >
          Restore them
        </Button>
        <Button size="xs" variant="default" onClick={end}>
          Discard them
        </Button>
      </Group>
    </Alert>
  );
}

function Failure(props: { readonly error: unknown; readonly repeats: boolean; readonly isKept: boolean }) {
  const { flush } = useEditor();
  // The state tells a failure.
  const again = useAction(flush, { quiet: true });
  return (
    <Alert mb="md" color="red" role="alert" icon={<IconAlertTriangle />} title="Your last changes are not saved">
      <Text size="sm">
        {describeError(props.error)}{' '}
        {props.repeats && 'Saving is tried again by itself, also when the connection is back. '}
        {props.isKept
          ? 'This browser keeps your changes until then, even if you leave.'
          : 'This browser has no space for them: keep this page open.'}
      </Text>
      <Button mt="xs" size="xs" variant="default" loading={again.isPending} onClick={() => again.mutate(undefined)}>
        Try now
      </Button>
    </Alert>
  );
}
