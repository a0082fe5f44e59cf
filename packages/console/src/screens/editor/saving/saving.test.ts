import { ChangedSinceError, ConnectionError, type Slide, ValidationError } from '@figurehead/sdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Draft } from '../document.js';
import { createEditorStore } from '../store.js';
import { differencesOf } from './differences.js';
import { openKeptDrafts } from './kept-drafts.js';
import { isSame, Saving } from './saving.js';
import type { Version } from './state.js';

const CALL = { method: 'PATCH', url: 'http://server', requestId: undefined };
const document = (...texts: string[]): Draft => ({
  name: 'Tides',
  data: {},
  slides: texts.map((speech, index) => ({ id: index + 1, speech }) as Slide),
});

/** The storage of a browser with space for `space` characters. */
function browser(space = 100_000): Storage {
  const storage = Object.create({
    getItem(key: string) {
      return Object.hasOwn(storage, key) ? storage[key] : null;
    },
    setItem(key: string, value: string) {
      if (value.length > space) throw new DOMException('full', 'QuotaExceededError');
      storage[key] = value;
    },
    removeItem(key: string) {
      delete storage[key];
    },
  });
  return storage;
}

/** A server with one video, which refuses what is based on another version. */
function serverOf(draft: Draft) {
  const server = {
    version: 1,
    draft,
    saves: 0,
    /** Thrown in place of the next answers; `late`: after the save. */
    failures: [] as { error: Error; late?: boolean }[],
    write(next: Draft) {
      server.draft = next;
      server.version += 1;
    },
    read: async (): Promise<Version> => ({ draft: structuredClone(server.draft), etag: `"${server.version}"` }),
    async save(next: Draft, etag: string | undefined): Promise<Version> {
      server.saves += 1;
      const failure = server.failures.shift();
      if (failure && !failure.late) throw failure.error;
      if (etag !== `"${server.version}"`) throw new ChangedSinceError('changed', { ...CALL, status: 412 });
      server.write(structuredClone(next));
      if (failure) throw failure.error;
      return server.read();
    },
  };
  return server;
}

const away = () => ({ error: new ConnectionError('away', { ...CALL, status: 0 }) });

describe('an editor’s saving', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  let editors = 0;
  async function open(server = serverOf(document('One.', 'Two.')), storage = browser(), userId = 'me') {
    const opened = await server.read();
    const store = createEditorStore(opened.draft);
    editors += 1;
    const drafts = openKeptDrafts(storage, { workspaceId: 'w', userId, videoId: 'v', editorId: String(editors) });
    const repeats = (error: unknown) => !(error instanceof ValidationError);
    const saving = new Saving({ store, server, drafts, opened, repeats });
    const close = saving.start();
    const type = (...texts: string[]) => store.setState({ draft: document(...texts) });
    const step = () => store.getState().saving.step;
    return { store, drafts, saving, close, type, step, server, storage };
  }

  it('saves once after a burst of changes, and what is typed during a save after that', async () => {
    const { type, step, server } = await open();
    type('O', 'Two.');
    type('On', 'Two.');
    expect(step()).toBe('waiting');
    await vi.advanceTimersByTimeAsync(799);
    expect(server.saves).toBe(0);
    const running = server.save;
    server.save = async (...call) => {
      const answer = await running(...call);
      type('More', 'Two.');
      server.save = running;
      return answer;
    };
    await vi.advanceTimersByTimeAsync(1);
    expect([server.saves, step()]).toEqual([1, 'waiting']);
    await vi.advanceTimersByTimeAsync(800);
    expect([server.saves, step(), server.draft.slides[0]?.speech]).toEqual([2, 'saved', 'More']);
  });

  it('does not overwrite what another tab has saved: it stops, shows the other version and keeps its own', async () => {
    const first = await open();
    const second = await open(first.server, first.storage);
    first.type('Mine.', 'Two.');
    second.type('One.', 'Theirs.');
    await first.saving.flush();
    await expect(second.saving.flush()).rejects.toThrow('changed elsewhere');
    expect(second.store.getState().saving).toMatchObject({
      step: 'conflict',
      theirs: { draft: document('Mine.', 'Two.') },
    });
    second.type('One.', 'Theirs, and more.');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(first.server.draft).toEqual(document('Mine.', 'Two.'));
    expect(first.drafts.others()).toMatchObject([{ draft: document('One.', 'Theirs, and more.'), etag: '"1"' }]);
  });

  it('ends a conflict with their version, which undo takes back, or with the own one', async () => {
    const server = serverOf(document('One.'));
    const editor = await open(server);
    server.write(document('Theirs.'));
    editor.type('Mine.');
    await expect(editor.saving.flush()).rejects.toThrow();
    editor.saving.takeTheirs();
    expect([editor.step(), editor.saving.isUnsaved(), editor.store.getState().draft]).toEqual([
      'saved',
      false,
      document('Theirs.'),
    ]);
    editor.store.temporal.getState().undo();
    await vi.advanceTimersByTimeAsync(800);
    expect(server.draft).toEqual(document('Mine.'));

    server.write(document('Theirs again.'));
    editor.type('Mine again.');
    await expect(editor.saving.flush()).rejects.toThrow();
    await editor.saving.overwrite();
    expect([server.draft, editor.step()]).toEqual([document('Mine again.'), 'saved']);
    expect(Object.keys(editor.storage)).toEqual([]);
  });

  it('is not stopped by a change of something else: the folder, or an own save whose answer was lost', async () => {
    const { type, step, server } = await open();
    server.version += 1;
    type('Mine.', 'Two.');
    await vi.advanceTimersByTimeAsync(800);
    expect([step(), server.draft.slides[0]?.speech]).toEqual(['saved', 'Mine.']);
    server.failures = [{ ...away(), late: true }];
    type('Lost answer.', 'Two.');
    await vi.advanceTimersByTimeAsync(800);
    expect(step()).toBe('failed');
    type('Lost answer, and more.', 'Two.');
    await vi.advanceTimersByTimeAsync(800);
    expect([step(), server.draft.slides[0]?.speech]).toEqual(['saved', 'Lost answer, and more.']);
  });

  it('does not end in a loop when a proxy spoils the versions', async () => {
    const { type, step, server } = await open();
    server.failures = Array.from({ length: 3 }, () => ({
      error: new ChangedSinceError('x', { ...CALL, status: 412 }),
    }));
    type('Mine.', 'Two.');
    await vi.advanceTimersByTimeAsync(800);
    expect([server.saves, step()]).toEqual([1, 'failed']);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(step()).toBe('saved');
  });

  it('is repeated with growing pauses while the server is away, until it is saved', async () => {
    const { type, step, server, store } = await open();
    server.failures = Array.from({ length: 40 }, away);
    type('Mine.', 'Two.');
    await vi.advanceTimersByTimeAsync(800);
    expect(store.getState().saving).toMatchObject({ step: 'failed', repeats: true, isKept: true });
    const perMinute: number[] = [];
    for (let minute = 0; minute < 3; minute += 1) {
      const before = server.saves;
      await vi.advanceTimersByTimeAsync(60_000);
      expect(step()).toBe('failed');
      perMinute.push(server.saves - before);
    }
    // 1, 2, 4, 8, 16 and 30 s at most, and half of that at least.
    expect(perMinute[0]).toBeGreaterThanOrEqual(5);
    expect(perMinute[2]).toBeGreaterThanOrEqual(1);
    expect(perMinute[2]).toBeLessThanOrEqual(5);
    server.failures = [];
    await vi.advanceTimersByTimeAsync(30_000);
    expect([step(), server.draft.slides[0]?.speech]).toEqual(['saved', 'Mine.']);
  });

  it('is not repeated after a refusal, until something changes', async () => {
    const { type, step, server } = await open();
    server.failures = [{ error: new ValidationError('wrong', [], { ...CALL, status: 400 }) }];
    type('Wrong.', 'Two.');
    await vi.advanceTimersByTimeAsync(600_000);
    expect([server.saves, step()]).toEqual([1, 'failed']);
    type('Right.', 'Two.');
    await vi.advanceTimersByTimeAsync(800);
    expect(step()).toBe('saved');
  });

  it('keeps unsaved changes in the browser, also after a crash, and forgets them once they are saved', async () => {
    const { type, server, storage } = await open();
    server.failures = [away()];
    type('Mine.', 'Two.');
    await vi.advanceTimersByTimeAsync(300);
    // A crash: nothing of the editor runs any more. Another user of this browser sees nothing of it.
    expect((await open(server, storage, 'another')).drafts.others()).toEqual([]);
    const { drafts, saving, step } = await open(server, storage);
    const [kept] = drafts.others();
    expect(kept).toMatchObject({ draft: document('Mine.', 'Two.'), etag: '"1"' });
    saving.resume(kept!);
    saving.keep();
    drafts.dropOthers();
    expect(Object.keys(storage)).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(20_000);
    expect([step(), server.draft.slides[0]?.speech, Object.keys(storage)]).toEqual(['saved', 'Mine.', []]);
  });

  it('lets the user decide when the video was changed after the changes that the browser kept', async () => {
    const { type, server, storage, close } = await open();
    type('Mine.', 'Two.');
    close();
    server.write(document('Theirs.', 'Two.'));
    const back = await open(server, storage);
    back.saving.resume(back.drafts.others()[0]!);
    expect(back.store.getState()).toMatchObject({
      draft: document('Mine.', 'Two.'),
      saving: { step: 'conflict', theirs: { draft: document('Theirs.', 'Two.') } },
    });
    // Closed again without a decision: the changes still belong to the first version.
    back.close();
    expect((await open(server, storage)).drafts.others().map(({ etag }) => etag)).toEqual(['"1"', '"1"']);
    await back.saving.overwrite();
    expect(server.draft).toEqual(document('Mine.', 'Two.'));
  });

  it('says when the browser has no space for the changes, or stores nothing', async () => {
    const { type, store, server } = await open(serverOf(document('One.')), browser(10));
    server.failures = [away()];
    type('Mine.');
    await vi.advanceTimersByTimeAsync(800);
    expect(store.getState().saving).toMatchObject({ step: 'failed', isKept: false });
    const owner = { workspaceId: 'w', userId: 'me', videoId: 'v', editorId: '1' };
    const nowhere = openKeptDrafts(undefined, owner);
    expect([nowhere.keep({ draft: document(), etag: undefined }), nowhere.others()]).toEqual([false, []]);
    const foreign = browser();
    foreign.setItem('figurehead:draft:w:me:v:old', '{"of": "an earlier version"}');
    foreign.setItem('figurehead:draft:w:me:v:broken', '{');
    expect(openKeptDrafts(foreign, owner).others()).toEqual([]);
  });
});

describe('two versions of a document', () => {
  it('are equal whatever the order of their keys and the speech that the server stores', () => {
    const slide = { id: 1, speech: 'x', canvas: { objects: [], version: '1' } } as Slide;
    const stored = {
      canvas: { version: '1', objects: [] },
      speech: 'x',
      id: 1,
      audio: { url: 'u' },
    } as unknown as Slide;
    const draft = { name: 'a', data: { fps: 25 as const }, slides: [slide] };
    expect(isSame(draft, { ...draft, slides: [stored] })).toBe(true);
    expect(isSame(draft, { ...draft, slides: [{ ...stored, speech: 'y' }] })).toBe(false);
  });

  it('differ in changed, added and removed slides, the name, the settings and the order', () => {
    const mine: Draft = { ...document('a', 'b', 'c'), name: 'Mine' };
    const [one, two, three] = mine.slides as [Slide, Slide, Slide];
    const theirs: Draft = {
      name: 'Theirs',
      data: { fps: 50 },
      slides: [two, { ...one, speech: 'x' }, { ...three, id: 4 }],
    };
    const { slides, others } = differencesOf(mine, theirs);
    expect(slides.map(({ name, mine: own, theirs: other }) => [name, own?.speech, other?.speech])).toEqual([
      ['Slide 1', 'a', 'x'],
      ['Slide 3', 'c', undefined],
      ['Slide 3', undefined, 'c'],
    ]);
    expect(others).toEqual(['the name (“Mine”, “Theirs”)', 'the settings of the video', 'the order of the slides']);
    expect(differencesOf(mine, structuredClone(mine))).toEqual({ slides: [], others: [] });
  });
});
