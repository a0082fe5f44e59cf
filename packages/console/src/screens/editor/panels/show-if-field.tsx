import { placeholdersOf } from '@figurehead/sdk/document';
import { TextInput } from '@mantine/core';
import { useEditorState } from '../store.js';

/** The placeholder without which a slide or an object is left out of a row's video. Shown only in videos with placeholders. */
export function ShowIfField(props: { readonly value: unknown; readonly onChange: (name: string | null) => void }) {
  const hasPlaceholders = useEditorState(({ draft }) => placeholdersOf(draft.slides).names.length > 0);
  if (!hasPlaceholders) return null;
  return (
    <TextInput
      label="Only with a value for"
      description="A placeholder. Videos of rows that have nothing for it are made without this. Empty: always shown."
      maxLength={200}
      value={typeof props.value === 'string' ? props.value : ''}
      onChange={(event) => props.onChange(event.currentTarget.value || null)}
    />
  );
}
