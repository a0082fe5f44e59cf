// A UDP proxy on one port that behaves like a network link: loss, bursts of loss, jitter, a rate with a queue.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** Bytes of the IP and UDP headers, which a link carries too. */
const HEADERS = 28;

/**
 * Opens a link from the peer at `target` to the viewer, whose packets come to the link's port.
 * @param target `{address, port}` of the sender of media
 * @param settings of both directions: `delayMs` one way; `loss`, the share of lost packets; `burst`, mean packets lost in a row; `jitterMs`, the most that
 * a packet is late in addition, in order. Of the direction to the viewer: `bitsPerSecond` and `queueMs`, the longest wait for it.
 * @returns `address`, `port`; `counts` of the direction to the viewer: packets and bytes that were sent to the link, and dropped
 */
export async function openLink(target, settings) {
  const { delayMs = 20, loss = 0, burst = 1, jitterMs = 0, bitsPerSecond, queueMs = 300 } = settings;
  const outer = createSocket('udp4');
  outer.bind(0, target.address);
  await once(outer, 'listening');
  const counts = { packets: 0, bytes: 0, dropped: 0 };
  const towardsViewer = direction();
  const towardsHost = direction();
  /** One socket towards the host for each address of the viewer, so that the host can tell its ICE candidates apart. */
  const inner = new Map();
  const timers = new Set();
  let freeMs = 0;

  /** Losses in bursts (a Gilbert model): the chance that the next packet is lost depends on whether this one was. */
  function direction() {
    let isLosing = false;
    let lastMs = 0;
    return {
      loses() {
        const enters = loss / burst / (1 - loss);
        isLosing = burst === 1 ? Math.random() < loss : Math.random() < (isLosing ? 1 - 1 / burst : enters);
        return isLosing;
      },
      /** When a packet arrives that left at `ms`. */
      arrival(ms) {
        lastMs = Math.max(lastMs, ms + delayMs + Math.random() * jitterMs);
        return lastMs;
      },
    };
  }

  function later(atMs, act) {
    const timer = setTimeout(() => {
      timers.delete(timer);
      act();
    }, atMs - performance.now());
    timers.add(timer);
  }

  function toViewer(packet, viewer) {
    const nowMs = performance.now();
    const bytes = packet.length + HEADERS;
    counts.packets++;
    counts.bytes += bytes;
    let leavesMs = nowMs;
    if (bitsPerSecond) {
      const isFull = freeMs - nowMs > queueMs;
      if (isFull) return void counts.dropped++;
      freeMs = Math.max(nowMs, freeMs) + (8000 * bytes) / bitsPerSecond;
      leavesMs = freeMs;
    }
    if (towardsViewer.loses()) return void counts.dropped++;
    later(towardsViewer.arrival(leavesMs), () => outer.send(packet, viewer.port, viewer.address));
  }

  function openInner(viewer) {
    const socket = createSocket('udp4');
    socket.on('message', (packet) => toViewer(packet, viewer));
    socket.bind(0, target.address);
    return socket;
  }

  outer.on('message', (packet, viewer) => {
    const key = `${viewer.address} ${viewer.port}`;
    const socket = inner.get(key) ?? openInner(viewer);
    inner.set(key, socket);
    if (towardsHost.loses()) return;
    later(towardsHost.arrival(performance.now()), () => socket.send(packet, target.port, target.address));
  });

  return {
    ...outer.address(),
    counts,
    close() {
      for (const timer of timers) clearTimeout(timer);
      for (const socket of [outer, ...inner.values()]) socket.close();
    },
  };
}
