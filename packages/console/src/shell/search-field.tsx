import { TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { IconSearch } from './icons.js';

/** How long typing rests before the list is asked for, milliseconds. */
const TYPING_PAUSE_MS = 250;

/** A field for a part of a name, which the server looks for. Its value may also be changed from outside. */
export function SearchField(
  props: Omit<TextInputProps, 'value' | 'onChange'> & {
    readonly value: string;
    readonly onChange: (value: string) => void;
  },
) {
  const { value, onChange, ...look } = props;
  const [{ text, of }, setDraft] = useState({ text: value, of: value });
  // Filters were cleared, or another link was followed.
  if (of !== value) setDraft({ text: text.trim() === value ? text : value, of: value });
  const search = useDebouncedCallback(onChange, TYPING_PAUSE_MS);
  return (
    <TextInput
      label="Name"
      type="search"
      w={{ base: '100%', xs: 220 }}
      maxLength={200}
      placeholder="Search by name"
      leftSection={<IconSearch size={16} />}
      value={text}
      onChange={(event) => {
        setDraft({ text: event.currentTarget.value, of });
        search(event.currentTarget.value.trim());
      }}
      {...look}
    />
  );
}
