import type { Slide, VideoData } from '@figurehead/sdk';
import type { CanvasObject } from '@figurehead/sdk/document';
import { createContext, useContext } from 'react';
import { type TemporalState, temporal } from 'zundo';
import { createStore, type StoreApi, useStore } from 'zustand';
import { useShallow } from 'zustand/react/shallow';
import { unplacedPresenter } from '../../shell/slide-painting.js';
import { type Arrangement, arranged } from './arrange.js';
import type { ObjectPlacement } from './canvas/canvas-object.js';
import type { CanvasBox, Guide } from './canvas/guides.js';
import {
  canvasSizeOf,
  changeObjects,
  changeSlide,
  type Draft,
  isPresenter,
  moved,
  objectsOf,
  pasted,
  placed,
  slideAfter,
  without,
} from './document.js';
import { boxAround, canBeGrouped, grouped, ungrouped } from './grouping.js';
import type { SavingControl, SavingState } from './saving/state.js';
import type { SpokenTrack } from './timeline/spans.js';

/** Maximum steps that can be undone. */
const MAX_STEPS = 200;

/** The editor's state: the document and its view. Undo and saving apply only to the document. */
export interface EditorState {
  readonly draft: Draft;
  /** Index of the slide on the canvas. */
  readonly at: number;
  /** Ids of slides that are chosen besides the one on the canvas. */
  readonly picked: readonly number[];
  /** Indices of the selected objects, the last chosen last. */
  readonly selected: readonly number[];
  /** Current placement of the dragged object; the document changes at the end of the drag. */
  readonly dragged: ObjectPlacement | null;
  readonly guides: readonly Guide[];
  /** Index of the picture that is cropped on the canvas. */
  readonly cropping: number | null;
  /** Time of the shown frame, in seconds of the slide. */
  readonly playhead: number;
  /** The editable canvas, or the rendered frame at the playhead. */
  readonly view: 'canvas' | 'rendered';
  /** What plays from the playhead: the slide on the canvas, or the video from there on. */
  readonly playing: 'slide' | 'video' | null;
  readonly saving: SavingState;
  /** Boxes of objects as the canvas draws them, canvas units; the height of a text is only known there. Absent while it is not shown. */
  readonly measure?: (index: number) => CanvasBox | undefined;
}

/** The store of one open editor. */
export type EditorStore = StoreApi<EditorState> & {
  readonly temporal: StoreApi<TemporalState<Pick<EditorState, 'draft'>>>;
};

/** Changes the document. Consecutive changes of one `kind` (typing in one field) are undone in one step. */
export type Change = (to: (now: Draft) => Draft, kind?: string) => void;

/** Most slides of a video. */
export const MAX_SLIDES = 100;

/** Offset of a copy from its original, canvas units. */
const COPY_OFFSET = 16;

/** A store with the given document and an empty history. */
export function createEditorStore(draft: Draft): EditorStore {
  return createStore<EditorState>()(
    temporal(
      (): EditorState => ({
        draft,
        at: 0,
        picked: [],
        selected: [],
        dragged: null,
        guides: [],
        cropping: null,
        playhead: 0,
        view: 'canvas',
        playing: null,
        saving: { step: 'saved' },
      }),
      {
        limit: MAX_STEPS,
        partialize: (state) => ({ draft: state.draft }),
        equality: (past, now) => past.draft === now.draft,
      },
    ),
  );
}

/** Changes of the document as steps of its history; consecutive changes of one kind are one step. */
function historyOf(store: EditorStore) {
  let lastKind: string | undefined;
  const history = () => store.temporal.getState();
  const change: Change = (to, kind) => {
    const { draft } = store.getState();
    const next = to(draft);
    if (next === draft) return;
    const joins = kind !== undefined && kind === lastKind;
    if (joins) history().pause();
    store.setState({ draft: next });
    if (joins) history().resume();
    lastKind = kind;
  };
  const step = (go: 'undo' | 'redo') => () => {
    lastKind = undefined;
    history()[go]();
    const { draft, at, selected } = store.getState();
    const slide = Math.max(0, Math.min(at, draft.slides.length - 1));
    const count = draft.slides[slide] ? objectsOf(draft.slides[slide]).length : 0;
    store.setState({ at: slide, selected: selected.filter((index) => index < count) });
  };
  /** A change that looks the same, so that there is nothing to undo. */
  const silently = (draft: Draft) => {
    history().pause();
    store.setState({ draft });
    history().resume();
  };
  return { change, silently, undo: step('undo'), redo: step('redo') };
}

/** The objects of the slide on the canvas. */
function objectsHere(store: EditorStore): readonly CanvasObject[] {
  const { draft, at } = store.getState();
  return draft.slides[at] ? objectsOf(draft.slides[at]) : [];
}

/** The actions on the order and the groups of a slide's objects. */
function layerActionsOf(store: EditorStore, change: Change) {
  const objects = () => objectsHere(store);
  const restacked = (next: readonly CanvasObject[], selected: readonly number[]) => {
    const { at } = store.getState();
    change((now) => changeObjects(now, at, () => next));
    store.setState({ selected });
  };
  return {
    /** Moves an object in front of others, or behind them. */
    moveLayer: (from: number, to: number) => {
      if (from !== to) restacked(moved(objects(), from, to), [to]);
    },
    groupSelected: () => {
      const all = objects();
      const members = [...store.getState().selected]
        .sort((a, b) => a - b)
        .filter((at) => all[at] && canBeGrouped(all[at]));
      if (members.length < 2) return;
      const group = grouped(members.flatMap((at) => all[at] ?? []));
      const at = (members.at(-1) ?? 0) - members.length + 1;
      const rest = without(all, members);
      restacked([...rest.slice(0, at), group, ...rest.slice(at)], [at]);
    },
    ungroupSelected: () => {
      const { selected } = store.getState();
      const next: CanvasObject[] = [];
      const parts: number[] = [];
      for (const [index, object] of objects().entries()) {
        const own = selected.includes(index) && object.type === 'group' ? ungrouped(object) : [object];
        if (own[0] !== object) parts.push(...own.map((_part, at) => next.length + at));
        next.push(...own);
      }
      if (parts.length > 0) restacked(next, parts);
    },
    /** Aligns the selected objects with each other, one alone with the canvas, or spaces them evenly. */
    arrangeSelected: (how: Arrangement) => {
      const { at, selected, measure, draft } = store.getState();
      const all = objects();
      const boxes = new Map(
        selected.flatMap((index) => {
          const object = all[index];
          if (!object || object.locked === true) return [];
          return [[index, measure?.(index) ?? boxAround(object)] as const];
        }),
      );
      const offsets = arranged(boxes, how, canvasSizeOf(draft));
      const to = new Map(
        [...offsets].map(([index, { dx, dy }]) => {
          const { left = 0, top = 0 } = all[index] ?? {};
          return [index, { left: left + dx, top: top + dy }];
        }),
      );
      change((now) => changeObjects(now, at, (list) => placed(list, to)));
    },
    lockSelected: (locked: boolean) => {
      const { at, selected } = store.getState();
      const to = new Map(selected.map((index) => [index, { locked }]));
      change((now) => changeObjects(now, at, (list) => placed(list, to)));
    },
  };
}

/** The actions on slides. */
function slideActionsOf(store: EditorStore, change: Change) {
  return {
    /** Shows another slide. A video that plays goes on there. */
    goTo: (at: number) =>
      store.setState(({ playing }) => ({
        at,
        picked: [],
        selected: [],
        playhead: 0,
        playing: playing === 'video' ? playing : null,
      })),
    /** Moves a slide; the current slide stays the same. */
    moveSlide: (from: number, to: number) => {
      if (from === to) return;
      change((now) => ({ ...now, slides: moved(now.slides, from, to) }));
      store.setState({ at: to, selected: [], playhead: 0, playing: null });
    },
    /** Chooses one more slide or one less, or with `through` all from the one on the canvas. */
    pickSlide: (index: number, through: boolean) => {
      const { draft, at, picked } = store.getState();
      const ids = draft.slides.map(({ id }) => id);
      const [from, to] = [Math.min(at, index), Math.max(at, index)];
      const id = ids[index] ?? 0;
      const toggled = picked.includes(id) ? picked.filter((one) => one !== id) : [...picked, id];
      store.setState({ picked: through ? ids.slice(from, to + 1) : toggled });
    },
    /** Copies the chosen slides behind the last one of them, and chooses the copies. */
    duplicateSlides: () => {
      const { draft } = store.getState();
      const chosen = chosenSlides(store.getState());
      if (chosen.length === 0 || draft.slides.length + chosen.length > MAX_SLIDES) return;
      const next = Math.max(...draft.slides.map(({ id }) => id)) + 1;
      const copies = chosen.map((slide, index) => ({ ...slide, id: next + index }));
      const index = draft.slides.findLastIndex((slide) => chosen.includes(slide)) + 1;
      change((now) => ({ ...now, slides: [...now.slides.slice(0, index), ...copies, ...now.slides.slice(index)] }));
      store.setState({
        at: index,
        picked: copies.slice(1).map(({ id }) => id),
        selected: [],
        playhead: 0,
        playing: null,
      });
    },
    removeSlides: () => {
      const chosen = chosenSlides(store.getState());
      const first = store.getState().draft.slides.findIndex((slide) => chosen.includes(slide));
      change((now) => ({ ...now, slides: now.slides.filter((slide) => !chosen.includes(slide)) }));
      store.setState({ at: Math.max(0, first - 1), picked: [], selected: [], playhead: 0, playing: null });
    },
    insertSlide: (slide?: Slide) => {
      const { at, draft } = store.getState();
      const index = draft.slides.length === 0 ? 0 : at + 1;
      change((now) => withSlide(now, { at, index, slide }));
      store.setState({ at: index, selected: [], playhead: 0, playing: null });
    },
  };
}

/** The actions on a store. */
export function actionsOf(store: EditorStore) {
  const history = historyOf(store);
  const { change, silently } = history;
  const objects = () => objectsHere(store);
  const add = (added: readonly CanvasObject[]) => {
    const { at } = store.getState();
    store.setState({ view: 'canvas' });
    const before = objects();
    const after = pasted(before, added);
    if (after.length === before.length) {
      const presenter = before.findIndex(isPresenter);
      if (presenter >= 0) store.setState({ selected: [presenter] });
      return;
    }
    change((now) => {
      const next = changeObjects(now, at, () => after);
      const returns = next.slides[at]?.hasAvatar === false && added.some(isPresenter);
      return returns ? changeSlide(next, at, { hasAvatar: true }) : next;
    });
    const first = objects().length - (after.length - before.length);
    store.setState({ selected: after.slice(before.length).map((_object, index) => first + index) });
  };
  const chosen = () => {
    const all = objects();
    return [...store.getState().selected].sort((a, b) => a - b).flatMap((index) => all[index] ?? []);
  };
  return {
    ...history,
    ...layerActionsOf(store, change),
    ...slideActionsOf(store, change),
    /** Changes the slide on the canvas. */
    setSlide: (to: Partial<Slide>, kind?: string) => change((now) => changeSlide(now, store.getState().at, to), kind),
    /** Changes the settings of the whole video. */
    setData: (to: VideoData, kind?: string) => change((now) => ({ ...now, data: { ...now.data, ...to } }), kind),
    /** Adds objects to the current slide and selects them. A slide has one presenter, so a second one selects the first. */
    add,
    /** `more` toggles the object in the selection. */
    select: (index: number | null, more = false) =>
      store.setState(({ selected }) => {
        if (index === null) return { selected: [] };
        if (!more) return { selected: selected.includes(index) && selected.length > 1 ? selected : [index] };
        return { selected: selected.includes(index) ? selected.filter((one) => one !== index) : [...selected, index] };
      }),
    /** Shows a picture as a whole on the canvas, with handles around the part that is visible. */
    crop: (index: number) => store.setState({ cropping: index, selected: [index], view: 'canvas', playing: null }),
    selectAll: () => store.setState({ selected: objects().map((_object, index) => index) }),
    /** Removes the selected objects. Without its object, a presenter leaves the slide instead of moving to another place. */
    removeSelected: () => {
      const { at, selected } = store.getState();
      if (selected.length === 0) return;
      const leaves = chosen().some(isPresenter);
      change((now) => {
        const rest = changeObjects(now, at, (list) => without(list, selected));
        return leaves ? changeSlide(rest, at, { hasAvatar: false }) : rest;
      });
      store.setState({ selected: [] });
    },
    /** Selects the presenter. Where only rendering places it, it becomes an object in that place, which is not a step of the history. */
    selectPresenter: () => {
      const { draft, at } = store.getState();
      const slide = draft.slides[at];
      const presenter = slide && unplacedPresenter(slide, canvasSizeOf(draft));
      if (presenter) silently(changeObjects(draft, at, (list) => [...list, presenter]));
      store.setState({ selected: [objects().findIndex(isPresenter)].filter((index) => index >= 0) });
    },
    duplicateSelected: () => add(chosen().map((object) => shifted(object, COPY_OFFSET))),
    nudge: (dx: number, dy: number) => {
      const { at, selected } = store.getState();
      const moved = movedBy(objects(), selected, [dx, dy]);
      change((now) => changeObjects(now, at, (list) => placed(list, moved)), `nudge-${at}-${selected.join()}`);
    },
    place: (placements: ReadonlyMap<number, ObjectPlacement>) => {
      const { at } = store.getState();
      store.setState({ dragged: null, guides: [] });
      change((now) => changeObjects(now, at, (list) => placed(list, placements)));
    },
  };
}

/** The slide on the canvas and those that are chosen besides it, in their order. */
export function chosenSlides({ draft, at, picked }: Pick<EditorState, 'draft' | 'at' | 'picked'>): readonly Slide[] {
  return draft.slides.filter(({ id }, index) => index === at || picked.includes(id));
}

/** The kind of a change by typing in a field: each word is a step of the history. */
export function typing(field: string, text: string): string {
  return `${field}-${text.split(/\s+/).length}`;
}

function movedBy(objects: readonly CanvasObject[], which: readonly number[], [dx, dy]: readonly [number, number]) {
  return new Map(
    which.flatMap((index) => {
      const object = objects[index];
      if (!object || object.locked === true) return [];
      return [[index, { left: (object.left ?? 0) + dx, top: (object.top ?? 0) + dy }] as const];
    }),
  );
}

/** The document with a new slide at `index`: a given one, or one like the slide `at`. */
function withSlide(
  draft: Draft,
  { at, index, slide }: { readonly at: number; readonly index: number; readonly slide: Slide | undefined },
): Draft {
  const fresh = slideAfter(draft.slides, draft.slides[at]);
  const added = slide ? { ...slide, id: fresh.id } : fresh;
  return { ...draft, slides: [...draft.slides.slice(0, index), added, ...draft.slides.slice(index)] };
}

/** A copy of an object, moved right and down by `by` canvas units. */
export function shifted(object: CanvasObject, by: number): CanvasObject {
  return { ...structuredClone(object), left: (object.left ?? 0) + by, top: (object.top ?? 0) + by };
}

/** The open editor, for its components. */
export interface Editor extends ReturnType<typeof actionsOf> {
  readonly store: EditorStore;
  readonly videoId: string;
  /** Saves unsaved changes, so that the server has the state on the screen. */
  readonly flush: () => Promise<void>;
  readonly saving: SavingControl;
  /** Speech that was stored with the slides when the editor opened, by `spokenKey`. */
  readonly opened: ReadonlyMap<string, SpokenTrack>;
}

/** Provides the open editor to its components; `null` outside an editor. */
export const EditorContext = createContext<Editor | null>(null);

/** The open editor's actions. */
export function useEditor(): Editor {
  const editor = useContext(EditorContext);
  if (editor === null) throw new Error('useEditor was called outside of EditorContext');
  return editor;
}

/** A part of the editor's state; the component re-renders only when that part changes. */
export function useEditorState<T>(read: (state: EditorState) => T): T {
  return useStore(useEditor().store, read);
}

/** The slide on the canvas. */
export function useSlide(): Slide | undefined {
  return useEditorState(({ draft, at }) => draft.slides[at]);
}

/** The slide on the canvas without its text: the same object while only that is typed, so that many fields are not drawn again. */
export function useSlideBesideSpeech(): Omit<Slide, 'speech'> {
  return useStore(
    useEditor().store,
    useShallow(({ draft, at }) => {
      const { speech: _speech, ...rest } = draft.slides[at] ?? {};
      return rest as Slide;
    }),
  );
}
