import { ValidationError } from '@figurehead/sdk';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { type FormEvent, useRef } from 'react';
import { type ActionOptions, useAction } from './client.js';

/** A form and its call. */
export interface ServerForm<V, R> extends UseFormReturnType<V> {
  /** Handler of the form's submission: makes the call. */
  readonly send: (event: FormEvent) => void;
  readonly call: ReturnType<typeof useAction<void, R>>;
  /** The call's failure, unless fields show it. */
  readonly failure: Error | null;
}

/**
 * A form whose values are sent by `call`, which also gets those that differ from the initial ones. What the server says about a field appears
 * at the input with its `getInputProps`; `initialValues` therefore have the shape of the call's body. Other failures are shown as those of
 * every action.
 */
export function useServerForm<V extends Record<string, unknown>, R>(
  initialValues: V,
  call: (values: V, changed: Partial<V>) => Promise<R>,
  options: ActionOptions<R> = {},
): ServerForm<V, R> {
  const form = useForm<V>({ initialValues });
  const inputs = useRef(new Set<unknown>()).current;
  const action = useAction<void, R>(() => call(form.getValues(), changesIn(form)), {
    ...options,
    quiet: (error) => {
      const complaints = complaintsOf(error);
      form.setErrors(Object.fromEntries(complaints));
      return haveInputs(complaints, inputs) || options.quiet === true;
    },
  });
  const { error } = action;
  return {
    ...form,
    getInputProps(path, more) {
      inputs.add(path);
      return form.getInputProps(path, more);
    },
    send(event) {
      event.preventDefault();
      form.clearErrors();
      action.mutate();
    },
    call: action,
    failure: error && haveInputs(complaintsOf(error), inputs) ? null : error,
  };
}

function changesIn<V extends object>(form: UseFormReturnType<V>): Partial<V> {
  const changed = Object.entries(form.getValues()).filter(([key]) => form.isDirty(key));
  return Object.fromEntries(changed) as Partial<V>;
}

/** Paths of values, and what the server says about them. */
function complaintsOf(error: Error): (readonly [string, string])[] {
  if (!(error instanceof ValidationError)) return [];
  // `tools[0].name` is `tools.0.name` in forms; messages go on from the field's name.
  return error.errors.map(({ field, message }) => [
    field.replace(/\[(\d+)\]/g, '.$1'),
    message.charAt(0).toUpperCase() + message.slice(1),
  ]);
}

/** Whether each of at least one complaint has its input. */
function haveInputs(complaints: readonly (readonly [string, string])[], inputs: ReadonlySet<unknown>): boolean {
  return complaints.length > 0 && complaints.every(([path]) => inputs.has(path));
}
