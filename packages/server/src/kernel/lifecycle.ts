import { setMaxListeners } from 'node:events';
import type { Lifecycle } from './contract.js';

/**
 * Ordered shutdown. A part that fails to close is reported, and the others are still closed.
 * @param report called with the name of the part and its error.
 */
export function createLifecycle(report: (name: string, error: unknown) => void): Lifecycle {
  const controller = new AbortController();
  // Every queue and every wait of the process listens: more than the ten at which Node warns of a leak.
  setMaxListeners(0, controller.signal);
  const open: { name: string; close: () => Promise<void> | void }[] = [];
  let closing: Promise<void> | undefined;

  async function closeAll(): Promise<void> {
    controller.abort();
    for (let part = open.pop(); part !== undefined; part = open.pop()) {
      try {
        await part.close();
      } catch (error) {
        report(part.name, error);
      }
    }
  }

  return {
    signal: controller.signal,
    onClose: (name, close) => {
      open.push({ name, close });
    },
    close: () => {
      closing ??= closeAll();
      return closing;
    },
  };
}
