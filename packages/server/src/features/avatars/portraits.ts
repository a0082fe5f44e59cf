import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PackSource } from '@figurehead/media';

/** Pictures of a presenter for lists, made from the pack when they are first asked for and kept beside other caches. */
export interface Portraits {
  /** File of a portrait: head and shoulders before a soft ground, square, fit to be cut to a circle; WebP. */
  thumbnail(source: PackSource): Promise<string>;
  /** File of the same at rest, breathing and looking about: silent MP4 of 4 s whose end meets its beginning. */
  preview(source: PackSource): Promise<string>;
  /** File of the whole resting plate with transparency, framed as the pack says; WebP. */
  canvas(source: PackSource): Promise<string>;
}

/** What the process that makes pictures is asked for. */
export interface PortraitOrder {
  readonly kind: keyof typeof ENDINGS;
  /** Folder of the pack. */
  readonly pack: string;
  readonly file: string;
}

/** Its answer: the file is there, or why not. */
export interface PortraitReply {
  readonly file: string;
  readonly error?: string;
}

/** Changes when these pictures are made in another way, so that older ones are not shown. */
const EDITION = 2;
const ENDINGS = { thumbnail: '.webp', preview: '.mp4', canvas: '-canvas.webp' } as const;
/** The process goes when it has had nothing to do for so long. */
const IDLE_MS = 15_000;
const HEAP_MB = 768;

/**
 * Portraits kept in `folder`, which is made when needed. Two requests for one that is missing make it once. What lies in `prepared`
 * already, a folder that is only read, is taken from there.
 */
export function createPortraits(folder: string, prepared = folder): Portraits {
  const making = new Map<string, Promise<string>>();
  const studio = new Studio();
  const kept = (kind: PortraitOrder['kind'], { folder: pack, version }: PackSource): Promise<string> => {
    const name = `${version}-${EDITION}${ENDINGS[kind]}`;
    const file = join(folder, name);
    const make = (part: string): Promise<void> => studio.make({ kind, pack, file: part });
    const find = async (): Promise<string> =>
      (await isThere(join(prepared, name))) ? join(prepared, name) : makeMissing(file, make);
    const running = making.get(file) ?? find().finally(() => making.delete(file));
    making.set(file, running);
    return running;
  };
  return {
    thumbnail: (source) => kept('thumbnail', source),
    preview: (source) => kept('preview', source),
    canvas: (source) => kept('canvas', source),
  };
}

function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}

async function makeMissing(file: string, make: (part: string) => Promise<void>): Promise<string> {
  if (await isThere(file)) return file;
  await mkdir(dirname(file), { recursive: true });
  // Whoever reads meanwhile, also another process, sees nothing or all of it.
  const part = `${file}.${randomUUID().slice(0, 8)}`;
  try {
    await make(part);
    await rename(part, file);
  } finally {
    await rm(part, { force: true });
  }
  return file;
}

/**
 * One process that draws, started by the first order and ended by rest; it goes with its parent, whose channel it lives
 * on, and never keeps the parent alive.
 */
class Studio {
  #turn: Promise<void> = Promise.resolve();
  #child: ChildProcess | undefined;
  #rest: NodeJS.Timeout | undefined;

  /** Makes one picture after the other. */
  make(order: PortraitOrder): Promise<void> {
    const made = this.#turn.then(() => this.#make(order));
    this.#turn = made.catch(() => undefined);
    return made;
  }

  async #make(order: PortraitOrder): Promise<void> {
    clearTimeout(this.#rest);
    const child = this.#child?.connected ? this.#child : this.#open();
    child.ref();
    child.channel?.ref();
    try {
      await new Promise<void>((resolve, reject) => {
        const done = (end: () => void): void => {
          child.off('message', hear).off('exit', leave).off('error', reject);
          end();
        };
        const hear = ({ file, error }: PortraitReply): void => {
          if (file !== order.file) return;
          done(() => (error === undefined ? resolve() : reject(new Error(`${order.pack}: ${error}`))));
        };
        const leave = (code: number | null, signal: string | null): void =>
          done(() => reject(new Error(`${order.pack}: the drawing process ended with ${signal ?? code}`)));
        child.on('message', hear).on('exit', leave).on('error', reject);
        child.send(order);
      });
    } finally {
      child.unref();
      child.channel?.unref();
      this.#rest = setTimeout(() => child.kill(), IDLE_MS).unref();
    }
  }

  #open(): ChildProcess {
    const child = fork(programPath(import.meta.url), [], {
      // No environment, so none of the server's secrets either.
      env: {},
      execArgv: [`--max-old-space-size=${HEAP_MB}`],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#child = child;
    return child;
  }
}

/** The compiled program also when this module itself runs from its source, as in tests. */
function programPath(here: string): string {
  const path = fileURLToPath(new URL('./portrait-process.js', here));
  return here.endsWith('.ts') ? path.replace(/[/\\]src([/\\]features[/\\])/, '/dist$1') : path;
}
