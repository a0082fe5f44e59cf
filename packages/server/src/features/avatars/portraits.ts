import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PackSource } from '@figurehead/media';
import { isThere, writeWhole } from '../../kernel/storage/files.js';
import { compiledPath } from '../../kernel/workers/compiled.js';
import { ProcessPool } from '../../kernel/workers/process-pool.js';
import { SharedWork } from '../../kernel/workers/shared-work.js';

/** Pictures of a presenter for lists, made from the pack when they are first asked for and kept beside other caches. */
export interface Portraits {
  /** File of a portrait: head and shoulders before a soft ground, square, fit to be cut to a circle; WebP. */
  thumbnail(source: PackSource): Promise<string>;
  /** File of the same at rest, breathing and looking about: silent MP4 of 4 s whose end meets its beginning. */
  preview(source: PackSource): Promise<string>;
  /** File of the whole resting plate with transparency, framed as the pack says; WebP. */
  canvas(source: PackSource): Promise<string>;
  /** Ends the process that draws; it also ends when it has had nothing to do for a while. Idempotent. */
  close(): Promise<void>;
}

/** What the process that makes pictures is asked for. */
export interface PortraitOrder {
  readonly kind: keyof typeof ENDINGS;
  /** Folder of the pack. */
  readonly pack: string;
  readonly file: string;
}

/** Changes when these pictures are made in another way, so that older ones are not shown. */
const EDITION = 2;
const ENDINGS = { thumbnail: '.webp', preview: '.mp4', canvas: '-canvas.webp' } as const;
/** A clip of four seconds takes about three on one core. */
const SECONDS = 120;

/**
 * Portraits kept in `folder`, which is made when needed. Two requests for one that is missing make it once. What lies in `prepared`
 * already, a folder that is only read, is taken from there.
 */
export function createPortraits(folder: string, prepared = folder): Portraits {
  const making = new SharedWork<string>();
  // One picture after the other: calls and renders go first.
  const pool = new ProcessPool({
    program: compiledPath('./portrait-process.js', import.meta.url),
    processes: 1,
    heapMb: 768,
    memoryMb: 2000,
    recycle: { jobs: 100, memoryMb: 800 },
    idleMs: 15_000,
    turns: { perWorkspace: 1, waitingPerWorkspace: 1000, waitMs: 600_000 },
  });
  const draw = async (order: PortraitOrder): Promise<void> => {
    const outcome = await pool.run(order, { workspaceId: '', seconds: SECONDS });
    if (outcome.kind === 'done') return;
    const cause = outcome.kind === 'died' ? outcome.cause : outcome.refusal;
    throw new Error(`a picture of the presenter in ${order.pack} could not be drawn`, { cause });
  };
  const kept = (kind: PortraitOrder['kind'], { folder: pack, version }: PackSource): Promise<string> => {
    const name = `${version}-${EDITION}${ENDINGS[kind]}`;
    const file = join(folder, name);
    return making.run(file, async () => {
      if (await isThere(join(prepared, name))) return join(prepared, name);
      if (await isThere(file)) return file;
      await mkdir(folder, { recursive: true });
      await writeWhole(file, (part) => draw({ kind, pack, file: part }));
      return file;
    });
  };
  return {
    thumbnail: (source) => kept('thumbnail', source),
    preview: (source) => kept('preview', source),
    canvas: (source) => kept('canvas', source),
    close: () => pool.close(),
  };
}
