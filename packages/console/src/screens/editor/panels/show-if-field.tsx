import { placeholdersOf } from '@figurehead/sdk/document';
import { Autocomplete } from '@mantine/core';
import { useEditorState } from '../store.js';

/** The placeholder without which a slide or an object is left out of a row's video. Shown only in videos with placeholders. */
export function ShowIfField(props: { readonly value: unknown; readonly onChange: (name: string | null) => void }) {
  const names = useEditorState(({ draft }) => placeholdersOf(draft.slides).names.join('\n'));
  if (names === '') return null;
  return (
    <Autocomplete
      label="Only with a value for"
      description="A placeholder. Videos of rows that have nothing for it are made without this. Empty: always shown."
      maxLength={200}
      data={names.split('\n')}
      value={typeof props.value === 'string' ? props.value : ''}
      onChange={(name) => props.onChange(name || null)}
    />
  );
}
