import { FONT_FAMILIES, namesOf } from '@figurehead/contract/document';
import { DEFAULT_LOOK, SLIDE_LAYOUTS, slideFrom } from '@figurehead/contract/layouts';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import type { Stage } from './stage.js';

/** Difference of a block of 8×8 px in its mean, of 255: browsers draw letters of some colours a little bolder or thinner, and the picture is compressed. */
const LIMIT = 13;
const SIZE = { width: 1280, height: 720 };
/** By how much a picture may be moved, px of Full HD. */
const MAX_SHIFT = 1;
const DARK = { ...DEFAULT_LOOK, background: '#101820', text: '#f4f4f4', accent: '#ffcc00' };
const NOBODY = { avatar: null, voice: 'slt', voiceProvider: 'flite', language: 'English' };

/** The canvas is the video: its picture and that of the renderer are compared. */
export function paintingScenarios({ fixture, page, go, button }: Stage): void {
  it('shows on the canvas what the renderer draws: layouts, every kind of object and every font, in 60 documents', async () => {
    const file = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#1c4fd0' } })
      .composite([
        {
          input: await sharp({ create: { width: 90, height: 90, channels: 3, background: '#e0a030' } })
            .png()
            .toBuffer(),
          left: 10,
          top: 60,
        },
      ])
      .png()
      .toBuffer();
    const src = `data:image/png;base64,${file.toString('base64')}`;
    const names = namesOf(SLIDE_LAYOUTS);
    const drawn = [...kinds(src), ...fonts()].map((objects) => ({
      ...NOBODY,
      canvas: { version: '6.0.0', background: '#f4efe2', objects },
    }));
    const layouts = [...names, ...names].map((name, index) =>
      slideFrom(name, { id: 0, cast: NOBODY, look: index < names.length ? DEFAULT_LOOK : DARK }),
    );
    const slides = [...drawn, ...layouts].slice(0, 60).map((slide, index) => ({ ...slide, id: index + 1, speech: '' }));
    const { _id } = await fixture().call('POST', '/videos', { name: 'Painted', slides });
    await go(`/videos/${_id}/edit`);
    await page().locator('.konvajs-content').waitFor();
    const found: string[] = [];
    for (const [index, { id }] of slides.entries()) {
      await page()
        .getByRole('button', { name: `Slide ${index + 1}`, exact: true })
        .click();
      const { worst, at, shift } = await page().evaluate(differenceOf, {
        id: _id,
        slide: String(id),
        size: SIZE,
        limit: LIMIT,
      });
      if (worst >= LIMIT) found.push(`slide ${index + 1}: ${worst.toFixed(1)} at ${at}`);
      if (shift >= MAX_SHIFT) found.push(`slide ${index + 1}: moved by ${shift.toFixed(2)} px`);
    }
    expect(found).toEqual([]);
  });

  it('names on Check what a layout still suggests and what is on something else, and leads there; shows shortcuts by a button', async () => {
    const on = { type: 'textbox', left: 40, top: 40, width: 300, height: 40, fontSize: 30, fontFamily: 'Inter' };
    const mixed = {
      ...NOBODY,
      id: 2,
      speech: 'Unsere Kosten sind im vergangenen Jahr leicht gestiegen.',
      canvas: {
        objects: [
          { ...on, text: 'One' },
          { ...on, text: 'Two' },
        ],
      },
    };
    const product = slideFrom('product', { id: 1, cast: NOBODY, look: DEFAULT_LOOK });
    const slides = [{ ...product, speech: 'One.' }, mixed];
    const { _id } = await fixture().call('POST', '/videos', { name: 'Checked', slides });
    await go(`/videos/${_id}/edit`);
    await button('Check').click();
    await page().getByText('Look at these first').waitFor();
    await page().getByText('“Your picture here” is still the text of the layout').waitFor();
    await page()
      .getByRole('listitem')
      .filter({ hasText: '“Two” is on “One”' })
      .getByRole('button', { name: 'Slide 2' })
      .click();
    await page().locator('[aria-current=true]', { hasText: '2' }).waitFor();
    await page().getByText('The text seems to be German, and its voice speaks English.').waitFor();
    expect(await fixture().violations()).toEqual([]);
    await button('Keyboard shortcuts').click();
    await page().getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page().keyboard.press('Escape');
    expect(fixture().complaints).toEqual([]);
  });
}

/** A slide for each family and each substitute of a common one: plain, bold and italic letters, large and small. */
function fonts(): object[][] {
  const substituted = ['Arial', 'Calibri', 'Times New Roman', 'Georgia', 'Cambria', 'Courier New'];
  return [...FONT_FAMILIES, ...substituted].map((fontFamily) =>
    [
      { fontSize: 44, text: 'Hamburgefonstiv 0123' },
      { fontSize: 28, text: 'Bold AVATAR, To Wyoming & Quay', fontWeight: 'bold' },
      { fontSize: 18, text: 'Italic letters “quoted” – at 100 %', fontStyle: 'italic' },
      { fontSize: 11, text: 'Small print: ¼ of the sizes; see § 12, page 345.' },
    ].map((line, index) => ({
      ...{ type: 'textbox', left: 40, top: 40 + 75 * index, width: 560, fill: '#22211e', fontFamily },
      ...line,
    })),
  );
}

/** Slides with objects of every type, and what is easily drawn in another way. */
function kinds(src: string): object[][] {
  const words = { type: 'textbox', left: 40, top: 40, width: 300, fontSize: 32, fontFamily: 'Inter', fill: '#22211e' };
  const gradient = {
    type: 'linear',
    gradientUnits: 'percentage',
    coords: { x1: 0, y1: 0, x2: 1, y2: 1 },
    colorStops: [
      { offset: 0, color: '#c02040' },
      { offset: 1, color: '#2040c0' },
    ],
  };
  return [
    [
      { ...words, text: 'Bold words that wrap at the edge of their box', fontWeight: 'bold' },
      { ...words, top: 240, text: 'One\nTwo', list: 'number', lineHeight: 1.5, fontSize: 22 },
      { ...words, left: 360, text: 'Bullets\nof two lines that wrap here', list: 'bullet', width: 200, fontSize: 22 },
    ],
    [
      { ...words, text: 'Centred in Lato', fontFamily: 'Lato', textAlign: 'center', charSpacing: 100 },
      { ...words, top: 120, text: 'Arial, in its stand-in', fontFamily: 'Arial', angle: -8 },
      {
        ...words,
        top: 200,
        text: 'Letters in colour',
        styles: [{ start: 0, end: 7, style: { fill: '#c02040', fontSize: 44 } }],
      },
      {
        ...words,
        top: 280,
        text: 'Justified words in a box that is narrow',
        textAlign: 'justify',
        fontSize: 18,
        width: 140,
      },
    ],
    [
      { ...words, text: 'Shrinks until it fits into its box, as long as it may be', height: 50, fitTextBox: true },
      { ...words, top: 120, text: 'Underlined', underline: true, textBackgroundColor: '#ffe080' },
      { ...words, top: 190, text: 'Outlined', stroke: '#2040c0', strokeWidth: 1, fontSize: 48 },
      { ...words, top: 270, text: 'Shadow', shadow: { color: '#00000080', blur: 6, offsetX: 6, offsetY: 6 } },
    ],
    [
      { type: 'rect', left: 40, top: 40, width: 160, height: 100, rx: 20, ry: 20, fill: gradient },
      {
        type: 'circle',
        left: 240,
        top: 40,
        radius: 50,
        width: 100,
        height: 100,
        fill: '#14574b',
        stroke: '#e0a030',
        strokeWidth: 12,
      },
      {
        type: 'triangle',
        left: 400,
        top: 40,
        width: 120,
        height: 100,
        fill: '#c02040',
        opacity: 0.5,
        stroke: '#000',
        strokeWidth: 6,
      },
      {
        type: 'line',
        left: 40,
        top: 200,
        width: 200,
        height: 60,
        x1: -100,
        y1: -30,
        x2: 100,
        y2: 30,
        stroke: '#22211e',
        strokeWidth: 5,
        strokeDashArray: [14, 8],
      },
      {
        type: 'polygon',
        left: 300,
        top: 190,
        width: 120,
        height: 120,
        points: [
          { x: 60, y: 0 },
          { x: 120, y: 120 },
          { x: 0, y: 90 },
        ],
        fill: '#2040c0',
      },
      {
        type: 'path',
        left: 460,
        top: 200,
        width: 100,
        height: 80,
        path: 'M 0 80 Q 50 -80 100 80',
        fill: null,
        stroke: '#14574b',
        strokeWidth: 8,
      },
    ],
    [
      { type: 'rect', left: 60, top: 60, width: 120, height: 80, fill: '#c02040', skewX: 20, flipX: true },
      {
        type: 'rect',
        left: 320,
        top: 180,
        originX: 'center',
        originY: 'center',
        width: 120,
        height: 80,
        angle: 30,
        fill: '#2040c0',
        stroke: '#e0a030',
        strokeWidth: 10,
      },
      {
        type: 'group',
        left: 440,
        top: 60,
        width: 140,
        height: 140,
        opacity: 0.6,
        scaleX: 1.2,
        objects: [
          { type: 'rect', left: -70, top: -70, width: 100, height: 100, fill: '#14574b' },
          { type: 'circle', left: -30, top: -30, radius: 50, width: 100, height: 100, fill: '#e0a030' },
        ],
      },
    ],
    [
      { type: 'image', src, left: 40, top: 40, width: 150, height: 150 },
      { type: 'image', src, left: 220, top: 40, width: 150, height: 150, fit: 'cover', cornerRadius: 30 },
      {
        type: 'image',
        src,
        left: 400,
        top: 40,
        width: 120,
        height: 80,
        cropX: 20,
        cropY: 70,
        scaleX: 1.4,
        scaleY: 1.4,
        flipX: true,
      },
      {
        type: 'image',
        src,
        left: 40,
        top: 210,
        width: 130,
        height: 130,
        fit: 'cover',
        clipPath: { type: 'ellipse', left: 0, top: 0, originX: 'center', originY: 'center', rx: 65, ry: 65 },
      },
    ],
  ];
}

/**
 * The largest difference of a block of 8×8 px between the canvas and the renderer's picture of the slide, once pictures and fonts have loaded,
 * and how far one is moved from the other, in px of Full HD.
 * Runs in the page.
 */
async function differenceOf(of: { id: string; slide: string; size: { width: number; height: number }; limit: number }) {
  const { width, height } = of.size;
  const answer = await fetch(`/api/v1/videos/preview/${of.id}/${of.slide}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  const rendered = await createImageBitmap(await answer.blob());
  const pixels = (draw: (ctx: OffscreenCanvasRenderingContext2D) => void) => {
    const ctx = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
    if (!ctx) throw new Error('there is no 2-D context');
    draw(ctx);
    return ctx.getImageData(0, 0, width, height).data;
  };
  const theirs = pixels((ctx) => ctx.drawImage(rendered, 0, 0, width, height));
  /** Distance by which the second picture fits best onto the first one, px (Lucas and Kanade 1981, for one window). */
  const shiftOf = (data: Uint8ClampedArray, other: Uint8ClampedArray) => {
    const green = (x: number, y: number) => other[(y * width + x) * 4 + 1] ?? 0;
    let [xx, xy, yy, xt, yt] = [0, 0, 0, 0, 0];
    for (let y = 1; y < height - 1; y += 1) {
      for (let x = 1; x < width - 1; x += 1) {
        const [gx, gy] = [(green(x + 1, y) - green(x - 1, y)) / 2, (green(x, y + 1) - green(x, y - 1)) / 2];
        const difference = (data[(y * width + x) * 4 + 1] ?? 0) - green(x, y);
        xx += gx * gx;
        xy += gx * gy;
        yy += gy * gy;
        xt += gx * difference;
        yt += gy * difference;
      }
    }
    const determinant = xx * yy - xy * xy;
    return determinant < 1 ? 0 : Math.hypot(xt * yy - yt * xy, yt * xx - xt * xy) / determinant;
  };
  const compare = () => {
    const element = document.querySelector<HTMLElement>('.fh-stage');
    // As large as the renderer's picture, so that both put letters on the same px.
    element?.style.setProperty('width', `${width}px`);
    const stage = element?.getBoundingClientRect();
    const ours = pixels((ctx) => {
      // The layers of the slide and its objects; the third one has the handles.
      for (const layer of [...document.querySelectorAll<HTMLCanvasElement>('.konvajs-content canvas')].slice(0, 2)) {
        const box = layer.getBoundingClientRect();
        ctx.drawImage(layer, box.x - (stage?.x ?? 0), box.y - (stage?.y ?? 0), box.width, box.height);
      }
    });
    let [worst, at] = [0, ''];
    for (let top = 0; top < height; top += 8) {
      for (let left = 0; left < width; left += 8) {
        const sums = [0, 0, 0];
        for (let pixel = 0; pixel < 64; pixel += 1) {
          const index = ((top + (pixel >> 3)) * width + left + (pixel & 7)) * 4;
          for (const channel of sums.keys()) {
            sums[channel] = (sums[channel] ?? 0) + (ours[index + channel] ?? 0) - (theirs[index + channel] ?? 0);
          }
        }
        const difference = sums.reduce((sum, one) => sum + Math.abs(one), 0) / 64 / 3;
        if (difference > worst) [worst, at] = [difference, `${left}, ${top}`];
      }
    }
    return { worst, at, ours };
  };
  let found = compare();
  for (let turn = 0; turn < 40 && found.worst >= of.limit; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    found = compare();
  }
  return { worst: found.worst, at: found.at, shift: (shiftOf(found.ours, theirs) * 1920) / width };
}
