/**
 * A process of its own that makes pictures of presenters, so that the API does not stand still meanwhile. One order at a
 * time, by message; it ends when its parent goes or has closed the channel.
 */
import { setPriority } from 'node:os';
import { makePortrait } from './portrait-maker.js';
import type { PortraitOrder, PortraitReply } from './portraits.js';

/** Calls and renders go first. */
setPriority(10);

process.on('message', (order: PortraitOrder) => {
  const answer = (reply: PortraitReply): void => {
    process.send?.(reply);
  };
  makePortrait(order).then(
    () => answer({ file: order.file }),
    (error: unknown) =>
      answer({ file: order.file, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
