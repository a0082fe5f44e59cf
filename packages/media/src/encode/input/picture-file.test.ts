import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { openPictureFile } from './picture-file.js';

const box = (brand: string) => Buffer.concat([Buffer.of(0, 0, 0, 24), Buffer.from(`ftyp${brand}\0\0\0\0mif1${brand}`)]);
const padded = (...start: readonly (string | Buffer)[]) =>
  Buffer.concat([...start.map((part) => Buffer.from(part as string, 'latin1')), Buffer.alloc(200)]);
const png = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#123' } })
  .png()
  .toBuffer();

const drawing = (size: string, more = '') =>
  Buffer.from(`<?xml version="1.0"?><!-- <svg> --><svg xmlns="http://www.w3.org/2000/svg" ${size}${more}>
    <rect width="210" height="297" fill="#508"/></svg>`);

describe('a picture file', () => {
  it.each([
    ['of a telephone', box('heic'), 'HEIC pictures are not supported; save it as JPEG or PNG'],
    ['of an old program', padded('BM'), 'BMP pictures are not supported; save it as JPEG or PNG'],
    [
      'of an archive',
      padded(Buffer.of(0, 0, 0, 12), 'jP  \r\n', Buffer.of(0x87), '\n', Buffer.of(0, 0, 0, 20), 'ftypjp2 '),
      'JP2 pictures are not supported; save it as JPEG or PNG',
    ],
    ['that is a document', Buffer.from('%PDF-1.4\n'), 'expected a picture, got application/pdf'],
    ['that is a text', Buffer.from('Hello'), 'expected a picture, got a file of an unknown type'],
    ['that is a page', Buffer.from('<!doctype html><html></html>'), /^expected a picture, got /],
    ['that is empty', Buffer.alloc(0), /^expected a picture, got /],
    ['that is cut off', png.subarray(0, 20), /^it is damaged or too large: /],
    [
      'that is a broken drawing',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><rect'),
      /^it is damaged or too large: /,
    ],
  ])('%s is refused by its type', async (_, bytes, reason) => {
    const refusal = await openPictureFile(bytes).catch((error: Error) => error);
    expect(refusal).toMatchObject({ name: 'MediaError', message: expect.stringMatching(reason) });
  });

  it.each([
    ['width="120pt" height="60pt"', 160],
    ["width='10cm' height='5cm'", 378],
    ['width="100mm" height="50mm"', 378],
    ['width="4in" height="2in"', 384],
    ['width="10pc" height="5pc"', 160],
    ['style="width:1.2e2pt;height:60pt"', 160],
    ['width="160" height="80px"', 160],
  ])('with %s grows in proportion to the density', async (size, width) => {
    for (const viewBox of ['', ' viewBox="0 0 210 297"']) {
      const { bytes, metadata } = await openPictureFile(drawing(size, viewBox));
      expect([metadata.width, metadata.height]).toEqual([width, Math.round(width / 2)]);
      const large = await sharp(bytes, { density: 288 }).metadata();
      expect(Math.abs((large.width ?? 0) - 4 * width)).toBeLessThanOrEqual(4);
    }
  });

  it('keeps everything but the size of a drawing', async () => {
    const text =
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" data-width="3pt"><text>12pt wïde</text></svg>';
    const { bytes } = await openPictureFile(Buffer.from(text));
    expect(Buffer.from(bytes).toString()).toBe(text);
  });
});
