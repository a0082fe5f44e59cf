import { describe, expect, it } from 'vitest';
import { Arena } from './arena.js';

const create = (): Arena => new Arena(new WebAssembly.Memory({ initial: 1, maximum: 64, shared: true }), 1000);

describe('Arena', () => {
  it('never returns overlapping blocks and reuses freed ones', () => {
    const arena = create();
    const blocks: { at: number; size: number }[] = [];
    for (let i = 0; i < 120; i++) {
      const size = 1 + ((i * 7919) % 3000);
      const at = arena.allocate(size);
      expect(at % 64).toBe(0);
      expect(blocks.every((other) => at >= other.at + other.size || other.at >= at + size)).toBe(true);
      blocks.push({ at, size });
      if (i % 3 === 2) arena.free(blocks.splice((i * 31) % blocks.length, 1)[0]!.at);
    }
    for (const { at } of blocks) arena.free(at);
    expect(arena.used).toBe(0);
    expect(arena.allocate(100_000)).toBe(1024);
  });

  it('keeps views valid when the memory grows', () => {
    const arena = create();
    const view = arena.bytes(arena.allocate(16), 16).fill(7);
    const far = arena.allocate(2_000_000);
    arena.bytes(far, 2_000_000).fill(9);
    expect(view).toEqual(new Uint8Array(16).fill(7));
  });

  it('refuses to free what is not allocated', () => {
    const arena = create();
    const at = arena.allocate(8);
    arena.free(at);
    expect(() => arena.free(at)).toThrow(/expected an allocated block/);
  });
});
