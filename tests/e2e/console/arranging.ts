import { expect, it } from 'vitest';
import type { Stage } from './stage.js';

const VOICE = { voice: 'slt', voiceProvider: 'flite', language: 'English' };
/** A red picture of 8 × 4 px. */
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAECAIAAAA8r+mnAAAAEUlEQVR4nGPY4aKPFTFQTwIAXq0lYVMFebYAAAAASUVORK5CYII=';

/** What people do with objects and slides, as in other editors. Each scenario creates its own video. */
export function arrangingScenarios({ fixture, page, go, button, eventually }: Stage): void {
  it('selects by a frame on the empty canvas, aligns in one step, and offers actions by a right click', async () => {
    await open([slide(1, [rect(60, 60), rect(90, 140), rect(60, 240)])]);
    await page().mouse.move(...(await at(30, 40)));
    await page().mouse.down();
    await page().mouse.move(...(await at(220, 200)), { steps: 4 });
    await page().mouse.up();
    await page().getByText('2 objects').waitFor();
    await button('Align left').click();
    await eventually(async () => (await objects()).map(({ left }) => left)).toEqual([60, 60, 60]);
    await button('Undo').click();
    await eventually(async () => (await objects()).map(({ left }) => left)).toEqual([60, 90, 60]);
    await page().mouse.click(...(await at(80, 250)), { button: 'right' });
    expect(await fixture().violations()).toEqual([]);
    await page().getByRole('menuitem', { name: 'Send to back' }).click();
    await eventually(async () => (await objects()).map(({ top }) => top)).toEqual([240, 60, 140]);
  });

  it('offers what can be done with slides and objects by a right click in their lists', async () => {
    await open([slide(1, [rect(60, 60), rect(90, 140)]), slide(2, []), slide(3, [])]);
    const speeches = async () => (await read()).slides.map((one: { speech: string }) => one.speech);
    const entry = (name: string) => page().getByRole('menuitem', { name, exact: true });
    const thumbnail = (number: number) => page().getByRole('button', { name: `Slide ${number}: Slide ${number}.` });
    await page().getByRole('tab', { name: 'Objects' }).click();
    const layers = page().getByRole('tabpanel', { name: 'Objects' }).getByRole('listitem');
    await layers.last().click({ button: 'right' });
    await entry('Bring to front').click();
    await eventually(async () => (await objects()).map(({ top }) => top)).toEqual([140, 60]);
    await thumbnail(3).click({ button: 'right' });
    expect(await fixture().violations()).toEqual([]);
    await entry('Move to the beginning').click();
    await eventually(speeches).toEqual(['Slide 3.', 'Slide 1.', 'Slide 2.']);
    await page()
      .getByRole('button', { name: 'Slide 2: Slide 1.' })
      .click({ modifiers: ['Shift'] });
    // One of several chosen slides: the menu is about all of them.
    await page().getByRole('button', { name: 'Slide 2: Slide 1.' }).click({ button: 'right' });
    await entry('Delete 2 slides').click();
    await eventually(speeches).toEqual(['Slide 2.']);
    await page().getByRole('button', { name: 'Slide 1: Slide 2.' }).focus();
    await page().keyboard.press('Shift+F10');
    await entry('Duplicate slide').click();
    await eventually(speeches).toEqual(['Slide 2.', 'Slide 2.']);
  });

  it('takes the presenter as an object from the first: it stays when a text comes, is dragged, and leaves when it is deleted', async () => {
    await open([slide(1, [])]);
    await button('Text').click();
    await eventually(async () => (await objects()).map(({ type }) => type)).toEqual(['avatar', 'textbox']);
    await page().mouse.move(...(await at(320, 300)));
    await page().mouse.down();
    await page().mouse.move(...(await at(420, 320)), { steps: 6 });
    await page().mouse.up();
    await eventually(async () => Math.round((await objects())[0]?.left ?? 0)).toBeGreaterThan(120);
    await page().keyboard.press('Delete');
    await eventually(async () => (await read()).slides[0].hasAvatar).toBe(false);
    expect((await objects()).map(({ type }) => type)).toEqual(['textbox']);
  });

  it('pastes text and pictures of other programs, and puts a dropped picture into the frame of another', async () => {
    await open([slide(1, [rect(400, 40)])]);
    await paste({ text: 'From a letter' });
    await eventually(async () => (await objects()).map(({ text }) => text)).toEqual([undefined, 'From a letter']);
    await paste({ picture: PICTURE });
    await eventually(async () => (await objects()).map(({ type }) => type)).toEqual(['rect', 'textbox', 'image']);
    const before = (await objects())[2];
    await page().evaluate(
      ([data, x, y]) => {
        const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([bytes], 'other.png', { type: 'image/png' }));
        const event = new DragEvent('drop', { dataTransfer, clientX: x, clientY: y, bubbles: true, cancelable: true });
        document.querySelector('[role=application]')?.dispatchEvent(event);
      },
      [PICTURE, ...(await at(320, 180))] as const,
    );
    await eventually(async () => (await objects())[2]?.src).not.toBe(before?.src);
    const after = (await objects())[2];
    expect(after).toMatchObject({ left: before?.left, top: before?.top, fit: 'cover' });
    expect(await objects()).toHaveLength(3);
  });

  it('undoes typing word by word from the keyboard, and gives all slides one presenter and voice', async () => {
    await open([slide(1, []), slide(2, [])]);
    const speech = page().getByLabel('Speech', { exact: true });
    await speech.fill('');
    await speech.pressSequentially('One two');
    await speech.press('Control+z');
    expect(await speech.inputValue()).toBe('One');
    await speech.press('Control+Shift+z');
    expect(await speech.inputValue()).toBe('One two');
    await page().getByRole('radio', { name: 'Marcus' }).click();
    await button('Presenter and voice for all slides').click();
    await eventually(async () =>
      (await read()).slides.map((one: { avatar: { code: string } }) => one.avatar.code),
    ).toEqual(['marcus', 'marcus']);
    const voices = (await read()).slides.map((one: { voice: string }) => one.voice);
    expect(voices[1]).toBe(voices[0]);
    await button('Undo').click();
    await eventually(async () => (await read()).slides[1].avatar.code).toBe('amara');
  });

  it('selects, moves and deletes several videos at once, and shows a batch as one tile', async () => {
    const { _id: folder } = await fixture().call('POST', '/folders', { name: 'Sorted' });
    const make = async (name: string, more: object = {}) =>
      (await fixture().call('POST', '/videos', { name, slides: [{ id: 1, speech: 'Hi {{name}}.' }], ...more }))._id;
    const [first, second] = [await make('Zebra one'), await make('Zebra two')];
    const template = await make('Zebra template', { type: 'template' });
    await fixture().call('POST', `/videos/renderTemplate/${template}`, {
      templateData: [{ name: 'A' }, { name: 'B' }],
    });
    await go('/videos');
    await page().getByText('Batch of 2 videos').first().waitFor();
    await page().getByRole('checkbox', { name: 'Select Zebra one' }).check();
    await page().getByRole('checkbox', { name: 'Select Zebra two' }).check();
    expect(await fixture().violations()).toEqual([]);
    await page().getByRole('combobox', { name: 'Move to folder' }).click();
    await page().getByRole('option', { name: 'Sorted' }).click();
    await page().getByText('2 videos moved.').waitFor();
    for (const id of [first, second]) expect((await fixture().call('GET', `/videos/${id}`)).folderId).toBe(folder);
    page().once('dialog', (dialog) => dialog.accept());
    await page().getByRole('checkbox', { name: 'Select Zebra one' }).check();
    await page().getByRole('region', { name: 'Selected videos' }).getByRole('button', { name: 'Delete' }).click();
    await page().getByText('1 video deleted.').waitFor();
    await fixture().call('DELETE', `/videos/${second}`);
  });

  let videoId = '';

  async function open(slides: object[]): Promise<void> {
    videoId = (await fixture().call('POST', '/videos', { name: 'Arranging', slides }))._id;
    await go(`/videos/${videoId}/edit`);
    await page().locator('.konvajs-content').waitFor();
  }

  const read = () => fixture().call('GET', `/videos/${videoId}`);

  // biome-ignore lint/suspicious/noExplicitAny: Fabric's objects
  async function objects(): Promise<any[]> {
    return (await read()).slides[0].canvas.objects;
  }

  /** A point of the canvas as a point of the page. */
  async function at(x: number, y: number): Promise<[number, number]> {
    const box = await page().getByRole('application').boundingBox();
    const scale = (box?.width ?? 0) / 640;
    return [(box?.x ?? 0) + x * scale, (box?.y ?? 0) + y * scale];
  }

  /** Pastes what another program has copied. */
  async function paste(copied: { readonly text?: string; readonly picture?: string }): Promise<void> {
    await page().evaluate(({ text, picture }) => {
      const clipboardData = new DataTransfer();
      if (text) clipboardData.setData('text/plain', text);
      if (picture) {
        const bytes = Uint8Array.from(atob(picture), (letter) => letter.charCodeAt(0));
        clipboardData.items.add(new File([bytes], 'picture.png', { type: 'image/png' }));
      }
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, copied);
  }
}

function slide(id: number, objects: object[]): object {
  const canvas = { version: '6.0.0', background: '#ffffff', objects };
  return { id, speech: `Slide ${id}.`, avatar: { code: 'amara' }, ...VOICE, canvas };
}

function rect(left: number, top: number): object {
  return { type: 'rect', left, top, width: 100, height: 50, fill: '#14574b' };
}
