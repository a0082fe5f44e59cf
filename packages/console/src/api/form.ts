import { ValidationError } from '@figurehead/sdk';
import { type FormEvent, useRef } from 'react';
import { type ActionOptions, useAction } from './client.js';
import { type KeptForm, useKeptForm } from './kept-form.js';

/** A form and its call. */
export interface ServerForm<V, R> extends KeptForm<V> {
  /** Handler of the form's submission: makes the call. */
  readonly send: (event: FormEvent) => void;
  readonly call: ReturnType<typeof useAction<void, R>>;
  /** The call's failure, unless fields or the form's notice show it. */
  readonly failure: Error | null;
}

/** Options of {@link useServerForm}. */
export interface FormOptions<V, R> extends ActionOptions<R> {
  /** Name below which the browser keeps what is not saved; see {@link useKeptForm}. */
  readonly keep?: string;
  /** Reads the server's present values, so that those of another user are not overwritten without a word. */
  readonly present?: () => Promise<V>;
  /** The values after the call; those that were sent by default. */
  readonly saved?: (result: R) => V;
}

/** Another user or tab has changed the same values: sent again, they are replaced. */
class ChangedElsewhereError extends Error {
  constructor() {
    super('This was changed elsewhere while you were editing it.');
    this.name = 'ChangedElsewhereError';
  }
}

/**
 * A form whose values are sent by `call`, which also gets those that differ from the initial ones. What the server says about a field appears
 * at the input with its `getInputProps`; `initialValues` therefore have the shape of the call's body. Other failures are shown as those of
 * every action.
 */
export function useServerForm<V extends Record<string, unknown>, R>(
  initialValues: V,
  call: (values: V, changed: Partial<V>) => Promise<R>,
  { keep, present, saved, ...options }: FormOptions<V, R> = {},
): ServerForm<V, R> {
  const form = useKeptForm<V>(initialValues, keep);
  const inputs = useRef(new Set<unknown>()).current;
  const act = async () => {
    if (present && form.rebase(await present()).length > 0) throw new ChangedElsewhereError();
    const sent = form.getValues();
    const result = await call(sent, form.changed());
    form.settle(sent, saved?.(result) ?? sent);
    return result;
  };
  const isShown = (error: Error) => error instanceof ChangedElsewhereError || haveInputs(complaintsOf(error), inputs);
  const action = useAction<void, R>(act, {
    ...options,
    quiet: (error) => {
      form.setErrors(Object.fromEntries(complaintsOf(error)));
      return isShown(error) || options.quiet === true;
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
    failure: error && isShown(error) ? null : error,
  };
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
