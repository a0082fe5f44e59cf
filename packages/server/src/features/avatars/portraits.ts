import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PackSource } from '@figurehead/media';
import { compiledUrl } from '@figurehead/media/basic';
import { isThere, writeWhole } from '../../kernel/storage/files.js';
import { ProcessPool } from '../../kernel/workers/process-pool.js';
import { SharedWork } from '../../kernel/workers/shared-work.js';

/** Pictures of a presenter for lists, drawn from the pack on first request and cached. */
export interface Portraits {
  /** File of a portrait: head and shoulders on a soft background, square, suitable for a circle; WebP. */
  thumbnail(source: PackSource): Promise<string>;
  /** File of an idle clip with breathing and gaze: silent MP4 of 4 s whose end meets its start. */
  preview(source: PackSource): Promise<string>;
  /** File of the whole resting plate with transparency, framed as the pack says; WebP. */
  canvas(source: PackSource): Promise<string>;
  /** File of the resting head and shoulders with transparency, square, cropped as in a live stream; WebP. */
  bust(source: PackSource): Promise<string>;
  /** File with what viewers need to draw the presenter, pictures with half the sides. */
  half(source: PackSource): Promise<string>;
  /** The same with whole pictures. */
  whole(source: PackSource): Promise<string>;
  /** Ends the drawing process, which also ends when idle. Idempotent. */
  close(): Promise<void>;
}

/** Job of the drawing process. */
export interface PortraitOrder {
  readonly kind: keyof typeof ENDINGS;
  /** Folder of the pack. */
  readonly pack: string;
  readonly file: string;
}

/** Raised when these pictures are drawn differently, so that older ones are not used. */
const EDITION = 2;
const ENDINGS = {
  thumbnail: '.webp',
  preview: '.mp4',
  canvas: '-canvas.webp',
  bust: '-bust.webp',
  half: '-half.pack.gz',
  whole: '-whole.pack.gz',
} as const;
/** A clip of four seconds takes about three on one core. */
const SECONDS = 120;

/**
 * Portraits in `folder`, which is created when needed. Concurrent requests for a missing one draw it once. Files that
 * exist in the read-only folder `prepared` are used from there.
 */
export function createPortraits(folder: string, prepared = folder): Portraits {
  const making = new SharedWork<string>();
  // One picture at a time, because calls and renders have a higher priority.
  const pool = new ProcessPool({
    program: compiledUrl('./portrait-process.js', import.meta.url),
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
    bust: (source) => kept('bust', source),
    half: (source) => kept('half', source),
    whole: (source) => kept('whole', source),
    close: () => pool.close(),
  };
}
