import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { TestConsole } from '../../support/console.js';

/** Shared by the scenarios of the console: one server, one browser, and results of earlier ones. */
export interface Stage {
  readonly fixture: () => TestConsole;
  readonly page: () => Page;
  /** Opens a path with a full page load. */
  readonly go: (path: string) => Promise<unknown>;
  /** A button by its whole name, or by a pattern. */
  readonly button: (name: string | RegExp) => Locator;
  /** Polls a value that takes a moment on a busy machine. */
  readonly eventually: <T>(read: () => T) => ReturnType<typeof expect.poll<T>>;
  /** Ids of created resources. */
  readonly made: { videoId: string; outlineId: string; templateId: string; requestId: string };
}

/** Makes a stage on a fixture that is opened later. */
export function makeStage(fixture: () => TestConsole): Stage {
  const page = () => fixture().page;
  return {
    fixture,
    page,
    go: (path) => page().goto(fixture().url + path),
    button: (name) => page().getByRole('button', { name, exact: typeof name === 'string' }),
    eventually: (read) => expect.poll(read, { timeout: 20_000 }),
    made: { videoId: '', outlineId: '', templateId: '', requestId: '' },
  };
}
