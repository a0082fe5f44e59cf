import sharp from 'sharp';
import { expect, it } from 'vitest';
import type { Stage } from './stage.js';

const VOICE = { voice: 'slt', voiceProvider: 'flite', language: 'English' };

/** Cropping pictures in their frames, and moving the canvas. */
export function framingScenarios({ fixture, page, go, button, eventually }: Stage): void {
  it('crops and masks a picture, and the renderer draws the same part of it', async () => {
    const half = (background: string) => ({ create: { width: 200, height: 200, channels: 3 as const, background } });
    const left = await sharp(half('#b8442f')).png().toBuffer();
    const buffer = await sharp({ create: { width: 400, height: 200, channels: 3, background: '#1c4fd0' } })
      .composite([{ input: left, left: 0, top: 0 }])
      .png()
      .toBuffer();
    const { objects } = await open([]);
    await button('Picture').first().click();
    const dialog = page().getByRole('dialog');
    await dialog.locator('input[type=file]').setInputFiles({ name: 'halves.png', mimeType: 'image/png', buffer });
    await dialog.waitFor({ state: 'hidden' });
    await page().getByRole('combobox', { name: 'Shape', exact: true }).click();
    await page().getByRole('option', { name: 'Circle or ellipse' }).click();
    await eventually(async () => (await objects())[0].clipPath?.type).toBe('ellipse');
    const slider = (name: string) => page().getByRole('slider', { name, exact: true });
    await slider('Zoom').focus();
    for (let press = 0; press < 20; press += 1) await page().keyboard.press('ArrowRight');
    await slider('Horizontal position').press('End');
    // Zoom and position may be saved one after the other.
    const part = async () => {
      const [{ width, cropX, cropY }] = await objects();
      return [width, cropX, cropY].map((length) => Math.round(length ?? 0));
    };
    await eventually(part).toEqual([133, 267, 67]);
    const [picture] = await objects();
    expect(await fixture().violations()).toEqual([]);

    await page().getByText('As rendered').click();
    const frame = page().getByRole('img', { name: /as the video will show it/ });
    await frame.waitFor();
    const middle = {
      x: picture.left + (picture.width * picture.scaleX) / 2,
      y: picture.top + (picture.height * picture.scaleY) / 2,
    };
    // The right half is in the middle, and the background is in the corner that the mask removes.
    await eventually(() => colourAt(middle.x, middle.y)).toBe('blue');
    expect(await colourAt(picture.left + 3, picture.top + 3)).toBe('white');
  });

  it('crops a picture by handles on the canvas, and moves it below its frame', async () => {
    const file = await sharp({ create: { width: 400, height: 200, channels: 3, background: '#1c4fd0' } })
      .png()
      .toBuffer();
    const src = `data:image/png;base64,${file.toString('base64')}`;
    const { objects } = await open([{ type: 'image', src, left: 200, top: 100, width: 200, height: 100 }]);
    const canvas = page().getByRole('application');
    const drag = async (from: readonly [number, number], to: readonly [number, number]) => {
      const { x = 0, y = 0, width = 0 } = (await canvas.boundingBox()) ?? {};
      const px = ([left, top]: readonly [number, number]) =>
        [x + (left * width) / 640, y + (top * width) / 640] as const;
      await page().mouse.move(...px(from));
      await page().mouse.down();
      await page().mouse.move(...px([(from[0] + to[0]) / 2, (from[1] + to[1]) / 2]));
      await page().mouse.move(...px(to));
      await page().mouse.up();
    };
    const shown = async () => {
      const [{ left, top, width, height, scaleX, cropX }] = await objects();
      return [left, top, width * scaleX, height * scaleX, cropX / 100].map(Math.round);
    };
    await canvas.dblclick({ position: { x: 300, y: 150 } });
    // From its right edge half of the picture away.
    await drag([400, 150], [300, 150]);
    await eventually(shown).toEqual([200, 100, 100, 100, 0]);
    // Below the frame, further than the picture reaches.
    await drag([250, 150], [50, 150]);
    await eventually(shown).toEqual([200, 100, 100, 100, 2]);
    await page().keyboard.press('Escape');
    await drag([250, 150], [290, 190]);
    await eventually(async () => (await shown())[0]).toBeGreaterThan(210);
    expect((await shown()).slice(2)).toEqual([100, 100, 2]);
    await button('Undo').click();
    await button('Undo').click();
    await button('Undo').click();
    await eventually(async () => (await objects())[0].width).toBe(200);
    expect(await fixture().violations()).toEqual([]);
  });

  it('zooms with the wheel and pans with Space, without moving objects of the slide', async () => {
    const { objects } = await open([{ type: 'rect', left: 280, top: 140, width: 80, height: 80, fill: '#14574b' }]);
    const canvas = page().getByRole('application');
    const { x = 0, y = 0, width = 0, height = 0 } = (await canvas.boundingBox()) ?? {};
    await canvas.focus();
    await page().mouse.move(x + width / 2, y + height / 2);
    await page().keyboard.down('Control');
    for (let turn = 0; turn < 3; turn += 1) await page().mouse.wheel(0, -100);
    await page().keyboard.up('Control');
    await page().getByText('300 %').waitFor();
    const room = page().locator('.fh-zoom-room');
    const scrolled = () => room.evaluate((element) => [element.scrollLeft, element.scrollTop]);
    const [before = 0, above = 0] = await scrolled();
    await page().keyboard.down('Space');
    await page().mouse.down();
    await page().mouse.move(x + width / 2 - 120, y + height / 2 - 60, { steps: 6 });
    await page().mouse.up();
    await page().keyboard.up('Space');
    expect(await scrolled()).toEqual([before + 120, above + 60]);
    expect((await objects())[0]).toMatchObject({ left: 280, top: 140 });
    await canvas.press('0');
    await page().getByText('100 %').waitFor();
  });

  async function open(objects: object[]) {
    const canvas = { version: '6.0.0', background: '#ffffff', objects };
    const slides = [{ id: 1, speech: 'Hi.', avatar: null, ...VOICE, canvas }];
    const { _id } = await fixture().call('POST', '/videos', { name: 'Framing', slides });
    await go(`/videos/${_id}/edit`);
    await page().locator('.konvajs-content').waitFor();
    return { objects: async () => (await fixture().call('GET', `/videos/${_id}`)).slides[0].canvas.objects };
  }

  /** The colour of the rendered frame at a point of the canvas. */
  function colourAt(x: number, y: number): Promise<string> {
    return page()
      .getByRole('img', { name: /as the video will show it/ })
      .evaluate(
        async (image: HTMLImageElement, [left, top]) => {
          await image.decode();
          const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
          const context = canvas.getContext('2d');
          context?.drawImage(image, 0, 0);
          const scale = image.naturalWidth / 640;
          const [red = 0, green = 0, blue = 0] = context?.getImageData(left * scale, top * scale, 1, 1).data ?? [];
          if (Math.min(red, green, blue) > 230) return 'white';
          return blue > red ? 'blue' : 'red';
        },
        [x, y] as const,
      );
  }
}
