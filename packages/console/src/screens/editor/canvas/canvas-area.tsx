import type { CanvasSize } from '@figurehead/sdk/document';
import { Card, Group, SegmentedControl, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useAvatars } from '../../../api/catalogue.js';
import { useFonts, useWorkspaceFonts } from '../../../api/fonts.js';
import { MissingFonts } from '../../../shell/missing-fonts.js';
import { pictureOf } from '../../../shell/slide-sketch.js';
import { canvasSizeOf } from '../document.js';
import { AddTools } from '../panels/add-tools.js';
import { useEditor, useEditorState, useSlide } from '../store.js';
import { PlayVideo } from '../timeline/play-video.js';
import { FramePreview } from './frame-preview.js';
import { SlideStage } from './stage.js';
import { Zoomable } from './zoomable.js';

const VIEWS = [
  { value: 'canvas', label: 'Canvas' },
  { value: 'rendered', label: 'As rendered' },
] as const;

const HINTS = {
  touch: 'Drag to move, tap a text twice to edit it. A larger screen helps with bigger edits.',
  mouse:
    'Drag to move, drag a frame to select several, double-click to edit. Right-click for actions, ? for shortcuts.',
} as const;

/** The tools that add objects, and below them the slide, on the canvas or as rendered by the server. */
export function CanvasArea() {
  const { store } = useEditor();
  const view = useEditorState((state) => state.view);
  const size = useEditorState(({ draft }) => canvasSizeOf(draft));
  const isEmpty = useEditorState(({ draft, at }) => draft.slides[at] === undefined);
  const touch = useMediaQuery('(pointer: coarse)');
  const fonts = useFonts().data;
  useWorkspaceFonts(fonts);
  if (isEmpty) {
    return (
      <Card ta="center" py={60}>
        <Text c="dimmed">This video has no slides. Add the first one.</Text>
      </Card>
    );
  }
  const maxWidth = size.width < size.height ? 420 : size.width === size.height ? 600 : 1200;
  return (
    <div style={{ minWidth: 0 }}>
      <MissingDraftFonts />
      <Group mb="sm" gap="sm" justify="space-between">
        <AddTools size={size} />
        <Group gap="xs" wrap="nowrap">
          <PlayVideo />
          <SegmentedControl
            size="xs"
            aria-label="View"
            data={[...VIEWS]}
            value={view}
            onChange={(next) => store.setState({ view: next, playing: null })}
          />
        </Group>
      </Group>
      <div style={{ maxWidth, margin: '0 auto' }}>
        {view === 'rendered' ? (
          <>
            <Rendered size={size} />
            <Text size="xs" c="dimmed" mt={8} mb="sm">
              Rendered from your current, unsaved edits, at the second of the playhead. Click the picture to edit it.
            </Text>
          </>
        ) : (
          <Zoomable size={size} hint={touch ? HINTS.touch : HINTS.mouse}>
            <Stage size={size} />
          </Zoomable>
        )}
      </div>
    </div>
  );
}

// What follows is drawn again with each letter that is typed, the tools above are not.

function MissingDraftFonts() {
  return <MissingFonts slides={useEditorState(({ draft }) => draft.slides)} />;
}

function Stage({ size }: { readonly size: CanvasSize }) {
  const avatars = useAvatars().data ?? [];
  const slide = useSlide();
  return slide && <SlideStage key={slide.id} slide={slide} size={size} look={pictureOf(avatars, slide)} />;
}

function Rendered({ size }: { readonly size: CanvasSize }) {
  const slide = useSlide();
  const data = useEditorState(({ draft }) => draft.data);
  const at = useEditorState((state) => state.at);
  return slide && <FramePreview key={slide.id} slide={slide} data={data} size={size} number={at + 1} />;
}
