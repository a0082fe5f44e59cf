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
  /** Turns a switch on or off by its label: its input has no size. */
  readonly turn: (name: string, isOn: boolean) => Promise<void>;
  /** Plays the speech of a slide to its end. */
  readonly playSpeech: () => Promise<void>;
  /** Polls a value that takes a moment on a busy machine. */
  readonly eventually: <T>(read: () => T) => ReturnType<typeof expect.poll<T>>;
  /** Ids of created resources. */
  readonly made: { videoId: string; outlineId: string; templateId: string; requestId: string; agentId: string };
}

/** Creates a stage on a fixture that is opened later. */
export function makeStage(fixture: () => TestConsole): Stage {
  const page = () => fixture().page;
  const button: Stage['button'] = (name) => page().getByRole('button', { name, exact: typeof name === 'string' });
  return {
    fixture,
    page,
    go: (path) => page().goto(fixture().url + path),
    button,
    async turn(name, isOn) {
      const input = page().getByRole('switch', { name });
      // Not the mouse: what loads above could move the label between its press and its release.
      await page().locator('label', { hasText: name }).dispatchEvent('click');
      await expect.poll(() => input.isChecked()).toBe(isOn);
    },
    async playSpeech() {
      // An observer misses nothing, however short the speech and slow the machine.
      const hasPlayed = await page().evaluateHandle(() => {
        const state = { played: false };
        new MutationObserver(() => {
          state.played ||= document.querySelector('button[aria-label="Pause"]') !== null;
        }).observe(document.body, { subtree: true, childList: true, attributes: true });
        return state;
      });
      await button('Play the speech').click();
      await page().waitForFunction((state) => state.played, hasPlayed);
      await button('Play the speech').waitFor();
    },
    eventually: (read) => expect.poll(read),
    made: { videoId: '', outlineId: '', templateId: '', requestId: '', agentId: '' },
  };
}
