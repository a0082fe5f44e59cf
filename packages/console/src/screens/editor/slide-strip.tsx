import type { Slide } from '@figurehead/sdk';
import type { CanvasSize } from '@figurehead/sdk/document';
import { ActionIcon, Group } from '@mantine/core';
import { memo } from 'react';
import { formatDuration } from '../../lib/format.js';
import { useChosenShown } from '../../lib/use-chosen-shown.js';
import { IconArrowDown, IconArrowUp, IconCopy, IconTrash } from '../../shell/icons.js';
import { SlideSketch } from '../../shell/slide-sketch.js';
import { canvasSizeOf } from './document.js';
import { AddSlide } from './panels/add-slide.js';
import { Sortable, useEntry } from './sortable.js';
import { useEditor, useEditorState } from './store.js';
import { useSlideClock } from './timeline/use-spoken.js';

const MAX_SLIDES = 100;

/** Thumbnails of all slides in order; move them by dragging, or with the buttons below. */
export function SlideStrip() {
  const { change, goTo, insertSlide, moveSlide } = useEditor();
  const slides = useEditorState(({ draft }) => draft.slides);
  const size = useEditorState(({ draft }) => canvasSizeOf(draft));
  const current = useEditorState((state) => state.at);
  const list = useChosenShown<HTMLDivElement>('[aria-current=true]', slides[current]?.id);
  const full = slides.length >= MAX_SLIDES;
  const remove = () => {
    change((now) => ({ ...now, slides: now.slides.filter((_one, index) => index !== current) }));
    goTo(Math.max(0, current - 1));
  };
  return (
    <nav aria-label="Slides">
      <Sortable ids={slides.map(({ id }) => String(id))} onMove={moveSlide}>
        <div ref={list} className="fh-slides">
          {slides.map((slide, index) => (
            <SlideEntry key={slide.id} slide={slide} index={index} size={size} />
          ))}
        </div>
      </Sortable>
      <div className="fh-slide-tools">
        <AddSlide disabled={full} />
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
            aria-label="Duplicate slide"
            onClick={() => insertSlide(slides[current])}
            disabled={slides.length === 0 || full}
          >
            <IconCopy size={17} />
          </ActionIcon>
          <ActionIcon aria-label="Delete slide" onClick={remove} disabled={slides.length === 0}>
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
}) {
  const { slide, index } = props;
  const { goTo, store } = useEditor();
  const current = useEditorState(({ at }) => at === index);
  const { length } = useSlideClock(slide);
  const entry = useEntry(String(slide.id), (by) => store.getState().draft.slides[index + by] && goTo(index + by));
  return (
    <button
      type="button"
      className="fh-slide"
      aria-label={`Slide ${index + 1}${slide.speech ? `: ${slide.speech.slice(0, 60)}` : ''}`}
      onClick={() => goTo(index)}
      {...entry}
      // One tab stop for all slides.
      tabIndex={current ? 0 : -1}
      aria-current={current}
    >
      <SlideSketch slide={slide} size={props.size} />
      <span className="fh-slide-caption">
        <strong>{index + 1}</strong>
        {formatDuration(length)}
      </span>
    </button>
  );
});
