import type { CallOutput } from '@figurehead/sdk';
import { ActionIcon, Alert, Anchor, Group, List, Text, TextInput, Tooltip, VisuallyHidden } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { useStore } from 'zustand';
import { useAction, useApi } from '../../api/client.js';
import { noteRender } from '../../api/render-notices.js';
import { withoutPaths } from '../../lib/problems.js';
import { ActButton } from '../../shell/action-buttons.js';
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconArrowLeft,
  IconChecklist,
  IconKeyboard,
  IconPlayerPlay,
} from '../../shell/icons.js';
import { openSetter } from '../../shell/slide-painting.js';
import { type Remark, remarksOf, remarksOn } from './remarks.js';
import { useEditor, useEditorState } from './store.js';
import { VersionsButton } from './versions/versions-button.js';

type Validation = Omit<CallOutput<'validateVideo'>, 'warnings'> & { readonly remarks: readonly Remark[] };

const SAVING_WORDS = {
  saved: 'Saved',
  waiting: 'Not saved yet',
  saving: 'Saving…',
  failed: 'Not saved',
  conflict: 'Not saved',
} as const;

/** Name, undo, check and render of the open video. */
export function Toolbar(props: { readonly onHelp: () => void }) {
  const api = useApi();
  const [, go] = useLocation();
  const { videoId, flush, change, store } = useEditor();
  const name = useEditorState(({ draft }) => draft.name);
  const saving = useEditorState((state) => state.saving.step);
  const validate = useAction(async () => {
    await flush();
    const { warnings = [], ...verdict } = await api.validateVideo({ videoId });
    const remarks = [...remarksOn(store.getState().draft, openSetter()), ...remarksOf(warnings)];
    return { ...verdict, remarks: remarks.sort((a, b) => a.slide - b.slide) };
  });
  const render = useAction(
    async () => {
      await flush();
      const verdict = await api.validateVideo({ videoId });
      if (verdict.valid) {
        await api.renderVideo({ videoId });
        noteRender(videoId);
      }
      return { ...verdict, remarks: [] };
    },
    { changes: [['videos'], ['video', videoId]], onDone: (verdict) => verdict.valid && go(`/videos/${videoId}`) },
  );
  const verdict = [validate.data, render.data].find((one) => one?.valid === false) ?? validate.data;
  return (
    <>
      <VisuallyHidden component="h1">Edit {name}</VisuallyHidden>
      <Group mb="md" gap="xs">
        <Tooltip label="To the video">
          <ActionIcon component={Link} href={`/videos/${videoId}`} size="lg" aria-label="Back to the video">
            <IconArrowLeft size={20} />
          </ActionIcon>
        </Tooltip>
        <TextInput
          aria-label="Name of the video"
          variant="unstyled"
          style={{ flex: '1 1 160px' }}
          styles={{ input: { fontFamily: "'Fraunces Variable', serif", fontSize: '1.3rem', fontWeight: 560 } }}
          value={name}
          maxLength={500}
          onChange={(event) => {
            const { value } = event.currentTarget;
            change((now) => ({ ...now, name: value }), 'name');
          }}
        />
        <Text
          size="sm"
          c={saving === 'failed' || saving === 'conflict' ? 'var(--mantine-color-error)' : 'dimmed'}
          role="status"
        >
          {SAVING_WORDS[saving]}
        </Text>
        <Group gap="xs">
          <UndoButtons />
          <VersionsButton />
          <Tooltip label="Keyboard shortcuts (?)">
            <ActionIcon size="lg" visibleFrom="sm" aria-label="Keyboard shortcuts" onClick={props.onHelp}>
              <IconKeyboard size={19} />
            </ActionIcon>
          </Tooltip>
          <ActButton act={validate} variant="default" leftSection={<IconChecklist size={17} />}>
            Check
          </ActButton>
          <ActButton act={render} leftSection={<IconPlayerPlay size={17} />}>
            Render
          </ActButton>
        </Group>
      </Group>
      {verdict && (
        <Verdict verdict={verdict} onClose={() => [validate, render].forEach((action) => void action.reset())} />
      )}
    </>
  );
}

function UndoButtons() {
  const { store, undo, redo } = useEditor();
  const canUndo = useStore(store.temporal, (history) => history.pastStates.length > 0);
  const canRedo = useStore(store.temporal, (history) => history.futureStates.length > 0);
  return (
    <>
      <Tooltip label="Undo (Ctrl Z)">
        <ActionIcon size="lg" aria-label="Undo" disabled={!canUndo} onClick={undo}>
          <IconArrowBackUp size={19} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label="Redo (Ctrl Shift Z)">
        <ActionIcon size="lg" aria-label="Redo" disabled={!canRedo} onClick={redo}>
          <IconArrowForwardUp size={19} />
        </ActionIcon>
      </Tooltip>
    </>
  );
}

function Verdict({ verdict, onClose }: { verdict: Validation; onClose: () => void }) {
  const { goTo } = useEditor();
  const { valid, errors, remarks } = verdict;
  const look = !valid
    ? { color: 'red', role: 'alert', title: 'Not ready to render' }
    : { color: remarks.length > 0 ? 'yellow' : 'verdigris', role: 'status' };
  return (
    <Alert mb="md" withCloseButton onClose={onClose} closeButtonLabel="Close" {...look}>
      {valid &&
        (remarks.length > 0
          ? 'This video can be rendered. Look at these first:'
          : 'No problems found: this video can be rendered.')}
      <List size="sm">
        {errors.map((error) => (
          <List.Item key={`${error.field}${error.message}`}>
            <strong>{withoutPaths(error.field)}:</strong> {error.message}
          </List.Item>
        ))}
        {remarks.map(({ slide, message }) => (
          <List.Item key={`${slide} ${message}`}>
            <Anchor component="button" type="button" size="sm" onClick={() => goTo(slide)}>
              Slide {slide + 1}
            </Anchor>
            : {message}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
