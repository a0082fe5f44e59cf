import type { Slide } from '@figurehead/sdk';
import { describe, expect, it } from 'vitest';
import { namesOf, objectsOf } from './document.js';
import { actionsOf, chosenSlides, createEditorStore, typing } from './store.js';

const rect = (left: number) => ({ type: 'rect', left, top: 0, width: 10, height: 10 });
const presenter = { type: 'avatar', left: 300, top: 0, width: 300, height: 225 };

function open(...slides: object[][]) {
  const store = createEditorStore({
    name: 'Tides',
    data: {},
    slides: slides.map((objects, index) => ({ id: index + 1, speech: '', canvas: { objects } }) as Slide),
  });
  const lefts = (index = 0) => objectsOf(store.getState().draft.slides[index]!).map((object) => object.left);
  return { store, lefts, ...actionsOf(store) };
}

describe('the editor’s document', () => {
  it('undoes and redoes each change, joins typing in one field, and discards undone steps at the next change', () => {
    const { store, change, undo, redo } = open([]);
    const name = (to: string, kind?: string) => change((now) => ({ ...now, name: to }), kind);
    name('T', 'name');
    name('Te', 'name');
    name('Tea', 'name');
    name('Other');
    undo();
    expect(store.getState().draft.name).toBe('Tea');
    undo();
    expect(store.getState().draft.name).toBe('Tides');
    redo();
    name('New', 'name');
    redo();
    expect(store.getState().draft.name).toBe('New');
    undo();
    expect(store.getState().draft.name).toBe('Tea');
  });

  it('moves, deletes and duplicates the selection, each in one step', () => {
    const { store, lefts, select, nudge, removeSelected, duplicateSelected, undo } = open([
      rect(0),
      rect(100),
      rect(200),
    ]);
    select(0);
    select(2, true);
    nudge(1, 0);
    nudge(1, 0);
    expect(lefts()).toEqual([2, 100, 202]);
    undo();
    expect(lefts()).toEqual([0, 100, 200]);
    duplicateSelected();
    expect(lefts()).toEqual([0, 100, 200, 16, 216]);
    expect(store.getState().selected).toEqual([3, 4]);
    removeSelected();
    expect(lefts()).toEqual([0, 100, 200]);
    undo();
    expect(lefts()).toHaveLength(5);
  });

  it('keeps a multiple selection when one of its objects is pressed, so that all can be dragged, and Shift deselects one', () => {
    const { store, select } = open([rect(0), rect(1), rect(2)]);
    select(0);
    select(1, true);
    select(1);
    expect(store.getState().selected).toEqual([0, 1]);
    select(0, true);
    expect(store.getState().selected).toEqual([1]);
    select(2);
    expect(store.getState().selected).toEqual([2]);
  });

  it('allows only one presenter on a slide when objects are added, pasted or copied from another slide', () => {
    const { store, add, insertSlide, duplicateSelected, select } = open([presenter, presenter, rect(0)]);
    add([presenter]);
    expect(objectsOf(store.getState().draft.slides[0]!)).toHaveLength(3);
    expect(store.getState().selected).toEqual([0]);
    select(2);
    select(0, true);
    duplicateSelected();
    expect(objectsOf(store.getState().draft.slides[0]!).map(({ type }) => type)).toEqual([
      'avatar',
      'avatar',
      'rect',
      'rect',
    ]);
    insertSlide();
    expect(objectsOf(store.getState().draft.slides[1]!).map(({ type }) => type)).toEqual(['avatar']);
  });

  it('adds slides with new ids after the current one, and undo selects an existing slide', () => {
    const { store, insertSlide, undo } = open([rect(0)], []);
    insertSlide(store.getState().draft.slides[0]);
    expect(store.getState().draft.slides.map(({ id }) => id)).toEqual([1, 3, 2]);
    expect(store.getState().at).toBe(1);
    insertSlide();
    insertSlide();
    undo();
    undo();
    undo();
    expect(store.getState()).toMatchObject({ at: 1, selected: [] });
  });

  it('duplicates and deletes several slides in one step each, and chooses the copies', () => {
    const { store, goTo, pickSlide, duplicateSlides, removeSlides, undo } = open([rect(1)], [rect(2)], [rect(3)], []);
    const ids = () => store.getState().draft.slides.map(({ id }) => id);
    const chosen = () => chosenSlides(store.getState()).map(({ id }) => id);
    pickSlide(2, true);
    pickSlide(1, false);
    expect(chosen()).toEqual([1, 3]);
    duplicateSlides();
    expect(ids()).toEqual([1, 2, 3, 5, 6, 4]);
    expect(chosen()).toEqual([5, 6]);
    expect(objectsOf(store.getState().draft.slides[4]!)[0]?.left).toBe(3);
    removeSlides();
    expect(ids()).toEqual([1, 2, 3, 4]);
    expect(chosen()).toEqual([3]);
    undo();
    undo();
    expect(ids()).toEqual([1, 2, 3, 4]);
    goTo(3);
    pickSlide(0, true);
    removeSlides();
    expect(ids()).toEqual([]);
    duplicateSlides();
    expect(ids()).toEqual([]);
  });

  it('is not changed by actions without effect', () => {
    const { store, select, nudge, place } = open([rect(5)]);
    const before = store.getState().draft;
    select(0);
    nudge(0, 0);
    place(new Map([[0, { left: 5, top: 0 }]]));
    expect(store.getState().draft).toBe(before);
    expect(store.temporal.getState().pastStates).toEqual([]);
  });

  it('leaves the presenter in place when objects come or go, and lets it leave when its object is deleted', () => {
    const { store, add, select, removeSelected, selectPresenter, undo } = open([]);
    const setAvatar = { avatar: { code: 'amara' } };
    store.setState(({ draft }) => ({
      draft: { ...draft, slides: draft.slides.map((one) => ({ ...one, ...setAvatar })) },
    }));
    const shown = () => objectsOf(store.getState().draft.slides[0]!);
    const alone = { type: 'avatar', left: 64, width: 512 };
    add([rect(0)]);
    expect(shown()).toMatchObject([alone, { type: 'rect' }]);
    expect(store.getState().selected).toEqual([1]);
    undo();
    const steps = store.temporal.getState().pastStates.length;
    selectPresenter();
    expect(shown()).toMatchObject([alone]);
    expect(store.getState().selected).toEqual([0]);
    expect(store.temporal.getState().pastStates).toHaveLength(steps);
    add([rect(0)]);
    select(1);
    removeSelected();
    expect(shown()).toMatchObject([alone]);
    select(0);
    removeSelected();
    expect(shown()).toEqual([]);
    expect(store.getState().draft.slides[0]).toMatchObject({ ...setAvatar, hasAvatar: false });
    add([presenter]);
    expect(store.getState().draft.slides[0]).toMatchObject({ ...setAvatar, hasAvatar: true });
    undo();
    undo();
    expect(shown()).toMatchObject([alone]);
  });

  it('arranges the selection in one step, with the sizes that the canvas shows, and leaves locked objects in place', () => {
    const { store, lefts, selectAll, arrangeSelected, undo } = open([
      rect(0),
      rect(100),
      { ...rect(300), locked: true },
      rect(200),
    ]);
    selectAll();
    arrangeSelected('right');
    expect(lefts()).toEqual([200, 200, 300, 200]);
    undo();
    expect(lefts()).toEqual([0, 100, 300, 200]);
    store.setState({ measure: (index) => ({ x: index === 0 ? 0 : 100 * index, y: 0, width: 50, height: 10 }) });
    arrangeSelected('right');
    expect(lefts()).toEqual([300, 300, 300, 200]);
  });

  it('numbers objects of the same name', () => {
    const text = { type: 'textbox', text: 'A headline that is longer than what a list has room for' };
    expect(namesOf([rect(0), text, rect(1), presenter])).toEqual([
      'Rectangle 1',
      'A headline that is longer than what a l…',
      'Rectangle 2',
      'Presenter',
    ]);
  });

  it('undoes what is typed word by word', () => {
    const { store, change, undo } = open([]);
    for (const name of ['O', 'On', 'One', 'One ', 'One t', 'One tw', 'One two'])
      change((now) => ({ ...now, name }), typing('name', name));
    undo();
    expect(store.getState().draft.name).toBe('One');
    undo();
    expect(store.getState().draft.name).toBe('Tides');
  });
});
