import { ActionIcon, Group } from '@mantine/core';
import { useState } from 'react';
import { useAvatars } from '../../api/catalogue.js';
import { IconArrowDown, IconArrowUp, IconCopy, IconTrash } from '../../shell/icons.js';
import { pictureOf, SlideSketch } from '../../shell/slide-sketch.js';
import { AddSlide } from './add-slide.js';
import { moved, sizeOf } from './document.js';
import { useEditor, useEditorState } from './store.js';

const MOST_SLIDES = 100;

/** All slides in small, in order; dragging one moves it, the buttons below do the same for the keyboard. */
export function SlideStrip() {
  const { change, goTo, insertSlide } = useEditor();
  const draft = useEditorState((state) => state.draft);
  const current = useEditorState((state) => state.at);
  const avatars = useAvatars().data ?? [];
  const { slides } = draft;
  const size = sizeOf(draft);
  const full = slides.length >= MOST_SLIDES;
  const move = (from: number, to: number) => {
    if (from === to) return;
    change((now) => ({ ...now, slides: moved(now.slides, from, to) }));
    goTo(to);
  };
  const drag = useReordering(move);
  const remove = () => {
    change((now) => ({ ...now, slides: now.slides.filter((_one, index) => index !== current) }));
    goTo(Math.max(0, current - 1));
  };
  return (
    <nav aria-label="Slides">
      <div className="fh-slides">
        {slides.map((slide, index) => (
          <button
            key={slide.id}
            type="button"
            className="fh-slide"
            aria-current={index === current}
            aria-label={`Slide ${index + 1}${slide.speech ? `: ${slide.speech.slice(0, 60)}` : ''}`}
            onClick={() => goTo(index)}
            {...drag(index)}
          >
            <SlideSketch slide={slide} size={size} picture={pictureOf(avatars, slide)} />
            <span className="fh-slide-number">{index + 1}</span>
          </button>
        ))}
      </div>
      <div className="fh-slide-tools">
        <AddSlide disabled={full} />
        <Group gap={2} wrap="nowrap">
          <ActionIcon
            aria-label="Move slide earlier"
            disabled={current === 0}
            onClick={() => move(current, current - 1)}
          >
            <IconArrowUp size={17} />
          </ActionIcon>
          <ActionIcon
            aria-label="Move slide later"
            disabled={current >= slides.length - 1}
            onClick={() => move(current, current + 1)}
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

/** What makes an entry of a list draggable to the place of another. */
function useReordering(move: (from: number, to: number) => void) {
  const [from, setFrom] = useState<number | null>(null);
  const [over, setOver] = useState<number | null>(null);
  const end = () => {
    setFrom(null);
    setOver(null);
  };
  return (index: number) => ({
    draggable: true,
    'data-drop': from !== null && over === index && from !== index ? (from < index ? 'after' : 'before') : undefined,
    onDragStart: () => setFrom(index),
    onDragOver: (event: React.DragEvent) => {
      if (from === null) return;
      event.preventDefault();
      setOver(index);
    },
    onDrop: (event: React.DragEvent) => {
      event.preventDefault();
      if (from !== null) move(from, index);
      end();
    },
    onDragEnd: end,
  });
}
