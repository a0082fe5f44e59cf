import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/**
 * A TCP proxy on the loopback in front of `target` ({host, port} or {path}) whose connection can be cut.
 * @returns {Promise<{port: number, cut(how: 'refused' | 'silent'): void, mend(): void, close(): Promise<void>}>}
 * `cut('silent')` drops all bytes in both directions, like a failed network: connections stay open, and new ones are
 * accepted but never answered. They stay lost; after `mend` only new connections work. `cut('refused')` resets all and
 * refuses new ones.
 */
export async function openProxy(target) {
  const pairs = new Set();
  let state = 'open';
  const server = createServer((near) => {
    if (state === 'refused') return near.resetAndDestroy();
    const pair = { near, far: undefined };
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      near.destroy();
      pair.far?.destroy();
    };
    near.on('error', end).on('close', end);
    if (state === 'silent') return near.pause();
    pair.far = connect(target);
    pair.far.on('error', end).on('close', end);
    near.pipe(pair.far);
    pair.far.pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: server.address().port,
    cut(how) {
      state = how;
      for (const { near, far } of pairs) {
        if (how === 'refused') near.resetAndDestroy();
        near.unpipe();
        far?.unpipe();
        near.pause();
        far?.pause();
      }
    },
    mend() {
      state = 'open';
    },
    async close() {
      for (const { near, far } of pairs) {
        near.destroy();
        far?.destroy();
      }
      server.close();
      await once(server, 'close');
    },
  };
}
