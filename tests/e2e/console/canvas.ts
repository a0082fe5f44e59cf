import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Stage } from './stage.js';

const VOICE = { voice: 'slt', voiceProvider: 'flite', language: 'English' };
const BRAND = { background: '#102030', text: '#f4f4f4', accent: '#ffcc00' };
const RECT = { type: 'rect', width: 100, height: 50, fill: '#14574b' };
const HEADLINE = {
  type: 'textbox',
  left: 40,
  top: 40,
  width: 220,
  height: 80,
  text: 'A headline that is long enough to wrap',
  fontSize: 32,
  fontFamily: 'Inter',
  fontWeight: 'bold',
  fill: '#b8442f',
};

/** The canvas, with the behaviour of other tools. Each scenario creates its own video. */
export function canvasScenarios({ fixture, page, go, button, eventually, playSpeech }: Stage): void {
  it('edits a text in place with its font, weight and colour, without a box, with all wrapped lines', async () => {
    await open([slide(1, [HEADLINE])]);
    await page().mouse.dblclick(...(await at(60, 60)));
    const field = page().getByRole('textbox', { name: 'Text', exact: true }).and(page().locator('.fh-stage-text'));
    const style = await field.evaluate((element) => {
      const { fontFamily, fontWeight, color, backgroundColor } = getComputedStyle(element);
      const lines = Math.round(element.clientHeight / Number.parseFloat(getComputedStyle(element).lineHeight));
      return {
        fontFamily,
        fontWeight,
        color,
        backgroundColor,
        lines,
        clipped: element.scrollHeight > element.clientHeight,
      };
    });
    expect(style).toEqual({
      fontFamily: expect.stringContaining('"Inter Variable"'),
      fontWeight: '700',
      color: 'rgb(184, 68, 47)',
      backgroundColor: 'rgba(0, 0, 0, 0)',
      lines: 4,
      clipped: false,
    });
    await field.fill('Short');
    await page().keyboard.press('Escape');
    await eventually(async () => (await objects())[0].text).toBe('Short');
  });

  it('selects several objects with Shift, moves and deletes them together, and undoes each in one step', async () => {
    await open([slide(1, [rect(60, 60), rect(60, 160), rect(60, 260)])]);
    await page().mouse.click(...(await at(80, 80)));
    await page().keyboard.down('Shift');
    await page().mouse.click(...(await at(80, 180)));
    await page().keyboard.up('Shift');
    await page().getByText('2 objects').waitFor();
    await drag([80, 180], [181, 213]);
    await eventually(async () => (await objects()).map(place)).toEqual([
      [161, 93],
      [161, 193],
      [60, 260],
    ]);
    await button('Undo').click();
    await eventually(async () => (await objects()).map(place)).toEqual([
      [60, 60],
      [60, 160],
      [60, 260],
    ]);
    await page().keyboard.press('Delete');
    await eventually(async () => (await objects()).length).toBe(1);
    await button('Undo').click();
    await eventually(async () => (await objects()).length).toBe(3);
  });

  it('copies objects to another slide and another video, pastes next to the original, cuts, and duplicates', async () => {
    await open([slide(1, [rect(60, 60)]), slide(2, [])]);
    await page().mouse.click(...(await at(80, 80)));
    await page().keyboard.press('Control+c');
    await page().keyboard.press('Control+v');
    await eventually(async () => (await objects()).map(place)).toEqual([
      [60, 60],
      [76, 76],
    ]);
    await page().keyboard.press('PageDown');
    await page().keyboard.press('Control+v');
    // The presenter stays where it was when the slide was empty.
    const presenter = [64, 22];
    await eventually(async () => (await objects(1)).map(place)).toEqual([presenter, [60, 60]]);
    await page().keyboard.press('Control+d');
    await eventually(async () => (await objects(1)).map(place)).toEqual([presenter, [60, 60], [76, 76]]);
    await page().keyboard.press('Control+a');
    await page().keyboard.press('Control+x');
    await eventually(async () => (await objects(1)).length).toBe(0);
    await page().keyboard.press('Control+v');
    await eventually(async () => (await objects(1)).map(place)).toEqual([
      [80, 38],
      [76, 76],
      [92, 92],
    ]);
    await open([slide(1, [])]);
    await page().getByRole('application').focus();
    await page().keyboard.press('Control+v');
    await eventually(async () => (await objects()).map(place)).toEqual([presenter, [60, 60], [76, 76]]);
  });

  it('shows a move cursor and live values while dragging, and snaps to the middle of the canvas', async () => {
    await open([slide(1, [rect(60, 60)])]);
    await page().mouse.click(...(await at(80, 80)));
    const left = page().getByLabel('Left', { exact: true });
    expect(
      await page()
        .locator('.konvajs-content')
        .evaluate((element) => element.parentElement?.style.cursor),
    ).toBe('move');
    await page().mouse.down();
    await page().mouse.move(...(await at(150, 80)), { steps: 5 });
    await eventually(async () => Number(await left.inputValue())).toBeGreaterThan(120);
    expect((await objects())[0].left).toBe(60);
    // 320 is the middle of the canvas; the rectangle's centre is 30 to the right of the pointer.
    await page().mouse.move(...(await at(287, 80)), { steps: 8 });
    await page().mouse.up();
    await eventually(async () => (await objects())[0].left).toBe(270);
  });

  it('lists its shortcuts on ?, and ignores keys while the user types in a field', async () => {
    await open([slide(1, [rect(60, 60)])]);
    await page().mouse.click(...(await at(80, 80)));
    await page().keyboard.press('Shift+?');
    const list = page().getByRole('dialog', { name: 'Keyboard shortcuts' });
    await list.getByText('Duplicate the selected objects').waitFor();
    expect(await fixture().violations()).toEqual([]);
    await page().keyboard.press('Escape');
    await list.waitFor({ state: 'hidden' });
    await page().getByRole('tab', { name: 'Slide', exact: true }).click();
    const speech = page().getByLabel('Speech', { exact: true });
    await speech.fill('Why');
    await speech.press('?');
    await speech.press('Delete');
    expect(await speech.inputValue()).toBe('Why?');
    expect(await objects()).toHaveLength(1);
  });

  it('moves slides by dragging them, and by buttons', async () => {
    const id = await open([slide(1, []), slide(2, []), slide(3, [])]);
    const order = async () =>
      (await fixture().call('GET', `/videos/${id}`)).slides.map((one: { id: number }) => one.id);
    const strip = page().getByRole('navigation', { name: 'Slides' });
    await carry(strip.getByRole('button', { name: /^Slide 1/ }), strip.getByRole('button', { name: /^Slide 3/ }));
    await eventually(order).toEqual([2, 3, 1]);
    await button('Move slide earlier').click();
    await eventually(order).toEqual([2, 1, 3]);
  });

  it('adds only one presenter to a slide, and lists the missing fonts', async () => {
    const brand = { ...HEADLINE, fontFamily: 'Brandon Grotesque' };
    await open([slide(1, [brand, { ...brand, top: 200, fontFamily: 'Calibri' }])]);
    await page().getByText('1 font is missing').waitFor();
    await page().getByText('Brandon Grotesque: shown in another font').waitFor();
    await button('Upload font').waitFor();
    await button('Place presenter').click();
    await eventually(async () => (await objects()).length).toBe(3);
    await button('Place presenter').click();
    await button('Shape').click();
    await page().getByRole('menuitem', { name: 'Rectangle' }).click();
    await eventually(async () => (await objects()).map((one) => one.type)).toEqual([
      'textbox',
      'textbox',
      'avatar',
      'rect',
    ]);
  });

  it('changes the voice of a slide to match a new presenter, with a notification', async () => {
    const id = await open([slide(1, [])]);
    const told = page().getByText(/The voice is now .*, to match Marcus\./);
    await page().getByRole('radio', { name: 'Marcus' }).click();
    await told.waitFor();
    const spoken = async () => (await fixture().call('GET', `/videos/${id}`)).slides[0].voice;
    await eventually(spoken).not.toBe('slt');
    const voices = (await fixture().call('GET', '/voices')).flatMap(
      (group: { male: { voice: string }[] }) => group.male,
    );
    expect(voices.map(({ voice }: { voice: string }) => voice)).toContain(await spoken());
  });

  it('creates a video from a template in the brand, adds slides from layouts, and applies a new brand in one step', async () => {
    await fixture().call('PUT', '/brand', { colors: BRAND, headingFont: 'Lato' });
    // What arrives late is waited for.
    let arrives = (): void => undefined;
    const brand = new Promise<void>((resolve) => (arrives = resolve));
    await page().route('**/api/v1/brand', (route) => brand.then(() => route.continue()));
    await go('/videos');
    await button('New video').click();
    await page().getByRole('tab', { name: 'From a template' }).click();
    expect(await button(/^Quarterly report/).isDisabled()).toBe(true);
    arrives();
    await page().unrouteAll({ behavior: 'wait' });
    expect(await fixture().violations()).toEqual([]);
    await button(/^Quarterly report/).click();
    await page().locator('.konvajs-content').waitFor();
    videoId = /videos\/([0-9a-f]+)/.exec(page().url())?.[1] ?? '';
    const slides = async () => (await fixture().call('GET', `/videos/${videoId}`)).slides;
    expect(await slides()).toMatchObject([{ canvas: { background: BRAND.background } }, {}, {}, {}, {}, {}]);
    await button('Slide').click();
    const picker = page().getByRole('dialog', { name: 'New slide' });
    await picker.getByLabel('Search layouts').fill('quote');
    expect(await fixture().violations()).toEqual([]);
    await picker.getByRole('button', { name: 'Quote' }).click();
    await eventually(async () => (await slides()).length).toBe(7);
    expect((await objects(1)).find((one: { id: string }) => one.id === 'title')).toMatchObject({
      fontFamily: 'Lato',
      fill: BRAND.text,
    });
    await fixture().call('PUT', '/brand', { colors: { ...BRAND, background: '#fff7e0', text: '#20150a' } });
    await page().reload();
    await page().getByRole('tab', { name: 'Video', exact: true }).click();
    await button('Apply the brand').click();
    const grounds = async () =>
      (await slides()).map((one: { canvas: { background: string } }) => one.canvas.background);
    await eventually(grounds).toContain('#fff7e0');
    await button('Undo').click();
    await eventually(grounds).not.toContain('#fff7e0');
    await fixture().call('PUT', '/brand', {});
  });

  it('groups, ungroups and locks objects, and moves layers by dragging', async () => {
    await open([slide(1, [rect(60, 60), rect(260, 60), rect(60, 200)])]);
    await page().mouse.click(...(await at(80, 80)));
    await page().keyboard.down('Shift');
    await page().mouse.click(...(await at(280, 80)));
    await page().keyboard.up('Shift');
    await page().keyboard.press('Control+g');
    await eventually(async () => (await objects()).map((one) => one.type)).toEqual(['group', 'rect']);
    await drag([80, 80], [101, 93]);
    await page().keyboard.press('Control+Shift+g');
    await eventually(async () => (await objects()).map(place)).toEqual([
      [81, 73],
      [281, 73],
      [60, 200],
    ]);
    await page().mouse.click(...(await at(80, 220)));
    await button('Lock').click();
    await drag([80, 220], [180, 260]);
    await page().keyboard.press('ArrowRight');
    await eventually(async () => (await objects())[2].locked).toBe(true);
    expect((await objects()).map(place)[2]).toEqual([60, 200]);
    const layers = page().getByRole('tabpanel').getByRole('listitem');
    await carry(layers.nth(0), layers.nth(2));
    await eventually(async () => (await objects())[0].locked).toBe(true);
    expect(await fixture().violations()).toEqual([]);
  });

  it('zooms, and still places an object at the pointer', async () => {
    await open([slide(1, [rect(60, 60)])]);
    await button('Zoom in').click();
    await page().getByText('150 %').waitFor();
    await page().mouse.click(...(await at(80, 80)));
    await drag([80, 80], [111, 93]);
    // A screen pixel is less than a canvas unit here.
    await eventually(async () => Math.abs((await objects())[0].left - 91)).toBeLessThan(1.5);
    await button('Fit the slide').click();
    await page().getByText('100 %').waitFor();
  });

  it('puts an icon on the slide that the renderer draws', async () => {
    await open([slide(1, [])]);
    await button('Icon').click();
    const picker = page().getByRole('dialog', { name: 'Icons' });
    await picker.getByLabel('Search icons').fill('calendar');
    await picker.getByRole('button', { name: 'calendar', exact: true }).click();
    await eventually(async () => (await objects()).map((one) => one.type)).toEqual(['avatar', 'path']);
    await button('Check').click();
    await page().getByText('No problems found').waitFor();
  });

  it('lets an object appear at a word of the speech: by dragging its bar, by keyboard, and by name', async () => {
    await open([{ ...slide(1, [rect(60, 60)]), speech: 'Our revenue grew again in spring.' }]);
    const timeline = page().getByRole('region', { name: 'Timeline' });
    await playSpeech();
    const word = await timeline.getByText('revenue', { exact: true }).boundingBox();
    const start = timeline.getByRole('slider', { name: 'Rectangle appears' });
    const handle = await start.boundingBox();
    await page().mouse.move((handle?.x ?? 0) + 3, (handle?.y ?? 0) + 8);
    await page().mouse.down();
    await page().mouse.move((word?.x ?? 0) + 5, (handle?.y ?? 0) + 8, { steps: 8 });
    await page().mouse.up();
    const animation = async () => (await objects())[0].animation;
    await eventually(animation).toMatchObject({ startWord: { text: 'revenue', nth: 1 } });
    await start.press('Shift+ArrowRight');
    await eventually(animation).toMatchObject({ startWord: { text: 'grew', nth: 1 } });
    await page().getByRole('combobox', { name: 'Leaves' }).click();
    await page().getByRole('option', { name: 'At “spring”' }).click();
    await eventually(animation).toMatchObject({ startWord: { text: 'grew' }, exitWord: { text: 'spring' } });
    expect(await fixture().violations()).toEqual([]);
    await button('Check').click();
    await page().getByText('No problems found').waitFor();
  });

  let videoId = '';

  async function open(slides: object[]): Promise<string> {
    videoId = (await fixture().call('POST', '/videos', { name: 'Canvas', slides }))._id;
    await go(`/videos/${videoId}/edit`);
    await page().locator('.konvajs-content').waitFor();
    return videoId;
  }

  // biome-ignore lint/suspicious/noExplicitAny: Fabric's objects
  async function objects(index = 0): Promise<any[]> {
    return (await fixture().call('GET', `/videos/${videoId}`)).slides[index].canvas.objects;
  }

  /** A point of the canvas as a point of the page. */
  async function at(x: number, y: number): Promise<[number, number]> {
    const box = await page().getByRole('application').boundingBox();
    const scale = (box?.width ?? 0) / 640;
    return [(box?.x ?? 0) + x * scale, (box?.y ?? 0) + y * scale];
  }

  /** Drags one element to the position of another in small steps, like a user. */
  async function carry(from: Locator, to: Locator): Promise<void> {
    const [start, end] = [await from.boundingBox(), await to.boundingBox()];
    await page().mouse.move((start?.x ?? 0) + 30, (start?.y ?? 0) + 10);
    await page().mouse.down();
    await page().mouse.move((end?.x ?? 0) + 30, (end?.y ?? 0) + (end?.height ?? 0) - 6, { steps: 12 });
    await page().mouse.up();
  }

  async function drag(from: [number, number], to: [number, number]): Promise<void> {
    await page().mouse.move(...(await at(...from)));
    await page().mouse.down();
    await page().mouse.move(...(await at(...to)), { steps: 6 });
    await page().mouse.up();
  }
}

function slide(id: number, objects: object[]): object {
  const canvas = { version: '6.0.0', background: '#ffffff', objects };
  return { id, speech: `Slide ${id}.`, avatar: { code: 'nora' }, ...VOICE, canvas };
}

function rect(left: number, top: number): object {
  return { ...RECT, left, top };
}

function place({ left, top }: { left: number; top: number }): [number, number] {
  return [Math.round(left), Math.round(top)];
}
