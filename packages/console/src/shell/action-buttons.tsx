import { ActionIcon, Button, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { FormNotice, type NoticedForm } from './form-notice.js';
import { IconTrash } from './icons.js';

/** Starts an action that needs no input, and shows that it runs; with a `question`, only after it was confirmed. */
export function ActButton(
  props: ButtonProps & {
    readonly act: { readonly isPending: boolean; readonly mutate: () => void };
    readonly question?: string;
    readonly children: ReactNode;
    readonly 'aria-label'?: string;
  },
) {
  const { act, question, ...look } = props;
  const start = () => (question === undefined || window.confirm(question)) && act.mutate();
  return <Button loading={act.isPending} onClick={start} {...look} />;
}

/** Sends its form, and shows that it is being sent; before it, what is to be known about the form's values. */
export function SubmitButton(
  props: ButtonProps & {
    readonly form: NoticedForm & { readonly call: { readonly isPending: boolean } };
    readonly children: ReactNode;
  },
) {
  const { form, ...look } = props;
  return (
    <>
      <FormNotice form={form} />
      <Button type="submit" loading={form.call.isPending} {...look} />
    </>
  );
}

/** Deletes the item `id` of a list after `question` was confirmed, and shows that it runs. */
export function DeleteIcon(props: {
  readonly label: string;
  readonly question: string;
  readonly act: {
    readonly isPending: boolean;
    readonly variables: string | undefined;
    readonly mutate: (id: string) => void;
  };
  readonly id: string;
}) {
  const { label, question, act, id } = props;
  return (
    <ActionIcon
      aria-label={label}
      loading={act.isPending && act.variables === id}
      onClick={() => window.confirm(question) && act.mutate(id)}
    >
      <IconTrash size={17} />
    </ActionIcon>
  );
}
