/** What to do after an error of `getUserMedia`, by its name. */
const REFUSALS: Readonly<Record<string, string>> = {
  NotAllowedError:
    'The microphone is blocked for this page. Allow it in the address bar of the browser, then try again',
  NotFoundError: 'No microphone was found. Connect one, then try again',
  NotReadableError: 'The microphone is used by another program. Close it there, then try again',
};

/** Why this page may not ask for a microphone, and what works without one: `instead` is such as "type instead". `undefined` where it may. */
export function microphoneMissing(instead: string): string | undefined {
  if (navigator.mediaDevices !== undefined) return undefined;
  return `This page cannot use a microphone. Browsers allow it only on HTTPS pages and on localhost; ${instead}.`;
}

/** Why the microphone could not be opened, and what to do; `undefined` for errors of another kind. */
export function microphoneProblem(error: unknown, instead: string): string | undefined {
  const refusal = error instanceof Error ? REFUSALS[error.name] : undefined;
  return refusal && `${refusal}, or ${instead}.`;
}
