import { PackError } from '../contract.js';
import type { PackFiles, PackLook } from './files.js';

/**
 * A pack in one file, for viewers that draw it: what one look of it needs, pictures perhaps smaller than the manifest says, the opacity of each apart
 * (its name with {@link ALPHA}). Four bytes with the length of the head, little-endian; the head, JSON; the files one after the other.
 */
interface Head {
  readonly look: PackLook;
  /** Bytes of each file, in their order. */
  readonly files: readonly (readonly [name: string, bytes: number])[];
  /** Names of pictures with half the sides, rounded up. */
  readonly halved: readonly string[];
}

/** Ends the name of a picture's opacity, a grey picture; the one without it then has no alpha. */
export const ALPHA = '.alpha';

/** The archive of these files. */
export function writeArchive(
  { look, halved }: Omit<Head, 'files'>,
  files: ReadonlyMap<string, Uint8Array>,
): Uint8Array {
  const head: Head = { look, halved, files: [...files].map(([name, bytes]) => [name, bytes.length]) };
  const json = new TextEncoder().encode(JSON.stringify(head));
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, json.length, true);
  const parts = [length, json, ...files.values()];
  const archive = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    archive.set(part, at);
    at += part.length;
  }
  return archive;
}

/** The files of an archive from {@link writeArchive}, and the look that they are. @param name what messages call it. */
export function readArchive(archive: Uint8Array, name: string): { files: PackFiles; look: PackLook } {
  const length = new DataView(archive.buffer, archive.byteOffset, archive.byteLength).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(archive.subarray(4, 4 + length))) as Head;
  const contents = new Map<string, Uint8Array>();
  let at = 4 + length;
  for (const [file, bytes] of head.files) {
    contents.set(file, archive.subarray(at, at + bytes));
    at += bytes;
  }
  const pathOf = (file: string): string => `${name}: ${file}`;
  return {
    look: head.look,
    files: {
      pathOf,
      shrinkOf: (file) => (head.halved.includes(file) ? 2 : 1),
      has: async (file) => contents.has(file),
      read: async (file) => {
        const found = contents.get(file);
        if (found === undefined) throw new PackError(`${pathOf(file)}: expected a file of the archive, found none`);
        return found;
      },
    },
  };
}
