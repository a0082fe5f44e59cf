import { open } from 'node:fs/promises';
import { crc32, deflateRawSync } from 'node:zlib';
import type { Archive } from '../reading/archive.js';
import { decodeMarkup } from '../reading/xml.js';

/**
 * Parts of a .pptx whose shapes contain the text that becomes canvas objects; charts and diagrams have separate parts.
 */
const SLIDE_PARTS = /^ppt\/(slides|slideLayouts|slideMasters)\/[^/]+\.xml$/;
/** Parts of an .odp with pages; embedded charts have separate folders. */
const PAGE_PARTS = /^(content|styles)\.xml$/;

/**
 * Writes a copy of a deck without text: its pages show everything else, so that graphics which only an office program
 * can draw can be cut out.
 */
export async function writeWordless(archive: Archive, kind: 'pptx' | 'odp', path: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    const directory: Buffer[] = [];
    let offset = 0;
    for (const name of archive.names) {
      const data = silence(name, kind, (await archive.read(name)) ?? Buffer.alloc(0));
      const { local, central } = zipEntry(name, data, offset);
      await file.write(local);
      offset += local.length;
      directory.push(central);
    }
    const table = Buffer.concat(directory);
    const end = Buffer.alloc(22);
    end.write('PK\x05\x06', 'latin1');
    end.writeUInt16LE(directory.length, 8);
    end.writeUInt16LE(directory.length, 10);
    end.writeUInt32LE(table.length, 12);
    end.writeUInt32LE(offset, 16);
    await file.write(Buffer.concat([table, end]));
  } finally {
    await file.close();
  }
}

function silence(name: string, kind: 'pptx' | 'odp', data: Buffer): Buffer {
  if (kind === 'pptx' && SLIDE_PARTS.test(name)) {
    return Buffer.from(withoutBetween(decodeMarkup(data), '<p:txBody>', '</p:txBody>').replace(UTF_16, '$1UTF-8'));
  }
  if (kind === 'odp' && PAGE_PARTS.test(name)) {
    return Buffer.from(
      decodeMarkup(data)
        .replace(/>[^<]+/g, '>')
        .replace(UTF_16, '$1UTF-8'),
    );
  }
  return data;
}

/** Removes everything from each `open` to the next `close`, inclusive. */
function withoutBetween(text: string, open: string, close: string): string {
  const kept: string[] = [];
  let at = 0;
  for (;;) {
    const start = text.indexOf(open, at);
    const end = start < 0 ? -1 : text.indexOf(close, start);
    if (end < 0) return kept.join('') + text.slice(at);
    kept.push(text.slice(at, start));
    at = end + close.length;
  }
}

/** Rewritten parts are written as UTF-8. */
const UTF_16 = /(^<\?xml[^>]*encoding=["'])UTF-16(?:LE|BE)?/i;

/** An entry of a ZIP archive (APPNOTE 6.3, 4.3.7 and 4.3.12), packed except for OpenDocument's `mimetype`. */
function zipEntry(name: string, data: Buffer, offset: number): { local: Buffer; central: Buffer } {
  const isStored = name === 'mimetype';
  const packed = isStored ? data : deflateRawSync(data, { level: 1 });
  const title = Buffer.from(name);
  const shared = Buffer.alloc(26);
  shared.writeUInt16LE(20, 0);
  // Names are UTF-8.
  shared.writeUInt16LE(0x800, 2);
  shared.writeUInt16LE(isStored ? 0 : 8, 4);
  shared.writeUInt32LE(crc32(data), 10);
  shared.writeUInt32LE(packed.length, 14);
  shared.writeUInt32LE(data.length, 18);
  shared.writeUInt16LE(title.length, 22);
  const tail = Buffer.alloc(14);
  tail.writeUInt32LE(offset, 10);
  return {
    local: Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), shared, title, packed]),
    central: Buffer.concat([Buffer.from('PK\x01\x02', 'latin1'), Buffer.from([20, 3]), shared, tail, title]),
  };
}
