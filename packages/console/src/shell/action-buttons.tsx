import { ActionIcon, Button, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { IconTrash } from './icons.js';

/** Starts an action that needs no input, and shows that it runs. */
export function ActButton(
  props: ButtonProps & {
    readonly act: { readonly isPending: boolean; readonly mutate: () => void };
    readonly children: ReactNode;
    readonly 'aria-label'?: string;
  },
) {
  const { act, ...look } = props;
  return <Button loading={act.isPending} onClick={() => act.mutate()} {...look} />;
}

/** Sends its form, and shows that it is being sent. */
export function SubmitButton(
  props: ButtonProps & {
    readonly form: { readonly call: { readonly isPending: boolean } };
    readonly children: ReactNode;
  },
) {
  const { form, ...look } = props;
  return <Button type="submit" loading={form.call.isPending} {...look} />;
}

/** Deletes the item `id` of a list after `question` was confirmed. */
export function DeleteIcon(props: {
  readonly label: string;
  readonly question: string;
  readonly act: { readonly mutate: (id: string) => void };
  readonly id: string;
}) {
  const { label, question, act, id } = props;
  return (
    <ActionIcon aria-label={label} onClick={() => window.confirm(question) && act.mutate(id)}>
      <IconTrash size={17} />
    </ActionIcon>
  );
}
