import type { Slide } from '@figurehead/sdk';
import type { CanvasSize } from '@figurehead/sdk/document';
import { ActionIcon, Group } from '@mantine/core';
import { type MouseEvent, memo } from 'react';
import { formatDuration } from '../../lib/format.js';
import { useChosenShown } from '../../lib/use-chosen-shown.js';
import { IconArrowDown, IconArrowUp, IconCopy, IconTrash } from '../../shell/icons.js';
import { SlideSketch } from '../../shell/slide-sketch.js';
import { canvasSizeOf } from './document.js';
import { SlideMenu, useMenuAt } from './menus.js';
import { AddSlide } from './panels/add-slide.js';
import { Sortable, useEntry } from './sortable.js';
import { chosenSlides, MAX_SLIDES, useEditor, useEditorState } from './store.js';
import { useSlideClock } from './timeline/use-spoken.js';

/** Thumbnails of all slides in order; move them by dragging, or with the buttons below. Shift or Ctrl and a click choose several. */
export function SlideStrip() {
  const { duplicateSlides, moveSlide, removeSlides } = useEditor();
  const slides = useEditorState(({ draft }) => draft.slides);
  const size = useEditorState(({ draft }) => canvasSizeOf(draft));
  const current = useEditorState((state) => state.at);
  const list = useChosenShown<HTMLDivElement>('[aria-current=true]', slides[current]?.id);
  const chosen = useEditorState((state) => chosenSlides(state).length);
  const these = chosen > 1 ? `${chosen} slides` : 'slide';
  const { open, ...menu } = useMenuAt(false);
  return (
    <nav aria-label="Slides">
      <Sortable ids={slides.map(({ id }) => String(id))} onMove={moveSlide}>
        <div ref={list} className="fh-slides">
          {slides.map((slide, index) => (
            <SlideEntry key={slide.id} slide={slide} index={index} size={size} onMenu={open} />
          ))}
        </div>
      </Sortable>
      <SlideMenu {...menu} />
      <div className="fh-slide-tools">
        <AddSlide disabled={slides.length >= MAX_SLIDES} />
        <Group gap={2} wrap="nowrap">
          <ActionIcon
            aria-label="Move slide earlier"
            disabled={current === 0}
            onClick={() => moveSlide(current, current - 1)}
          >
            <IconArrowUp size={17} />
          </ActionIcon>
          <ActionIcon
            aria-label="Move slide later"
            disabled={current >= slides.length - 1}
            onClick={() => moveSlide(current, current + 1)}
          >
            <IconArrowDown size={17} />
          </ActionIcon>
          <ActionIcon
            aria-label={`Duplicate ${these}`}
            onClick={duplicateSlides}
            disabled={chosen === 0 || slides.length + chosen > MAX_SLIDES}
          >
            <IconCopy size={17} />
          </ActionIcon>
          <ActionIcon aria-label={`Delete ${these}`} onClick={removeSlides} disabled={chosen === 0}>
            <IconTrash size={17} />
          </ActionIcon>
        </Group>
      </div>
    </nav>
  );
}

/** Thumbnail of a slide, with its number and length. */
const SlideEntry = memo(function SlideEntry(props: {
  readonly slide: Slide;
  readonly index: number;
  readonly size: CanvasSize;
  readonly onMenu: (event: MouseEvent) => void;
}) {
  const { slide, index, onMenu } = props;
  const { goTo, pickSlide, store } = useEditor();
  const current = useEditorState(({ at }) => at === index);
  const isPicked = useEditorState(({ picked }) => picked.length > 0 && (current || picked.includes(slide.id)));
  const { length } = useSlideClock(slide);
  const entry = useEntry(String(slide.id), (by) => store.getState().draft.slides[index + by] && goTo(index + by));
  return (
    <button
      type="button"
      className="fh-slide"
      aria-label={`Slide ${index + 1}${slide.speech ? `: ${slide.speech.slice(0, 60)}` : ''}`}
      onClick={({ shiftKey, ctrlKey, metaKey }) =>
        shiftKey || ctrlKey || metaKey ? pickSlide(index, shiftKey) : goTo(index)
      }
      {...entry}
      // The menu is about this slide, or about all chosen ones when it is one of them.
      onContextMenu={(event) => {
        if (!current && !isPicked) goTo(index);
        onMenu(event);
      }}
      // One tab stop for all slides.
      tabIndex={current ? 0 : -1}
      aria-current={current}
      {...(isPicked && { 'aria-pressed': true })}
    >
      <SlideSketch slide={slide} size={props.size} />
      <span className="fh-slide-caption">
        <strong>{index + 1}</strong>
        {formatDuration(length)}
      </span>
    </button>
  );
});
