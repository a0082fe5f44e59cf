import { Card, Group, SegmentedControl, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useAvatars } from '../../../api/catalogue.js';
import { useFonts, useWorkspaceFonts } from '../../../api/fonts.js';
import { MissingFonts } from '../../../shell/missing-fonts.js';
import { pictureOf } from '../../../shell/slide-sketch.js';
import { canvasSizeOf } from '../document.js';
import { AddTools } from '../panels/add-tools.js';
import { useEditor, useEditorState, useSlide } from '../store.js';
import { FramePreview } from './frame-preview.js';
import { SlideStage } from './stage.js';
import { Zoomable } from './zoomable.js';

const VIEWS = [
  { value: 'canvas', label: 'Canvas' },
  { value: 'rendered', label: 'As rendered' },
] as const;

/** The tools that add objects, and below them the slide, on the canvas or as rendered by the server. */
export function CanvasArea() {
  const { add, store } = useEditor();
  const view = useEditorState((state) => state.view);
  const avatars = useAvatars().data ?? [];
  const draft = useEditorState((state) => state.draft);
  const at = useEditorState((state) => state.at);
  const slide = useSlide();
  const touch = useMediaQuery('(pointer: coarse)');
  const fonts = useFonts().data?.fonts;
  useWorkspaceFonts(fonts);
  const size = canvasSizeOf(draft);
  if (!slide) {
    return (
      <Card ta="center" py={60}>
        <Text c="dimmed">This video has no slides. Add the first one.</Text>
      </Card>
    );
  }
  const maxWidth = size.width < size.height ? 420 : size.width === size.height ? 600 : 1200;
  return (
    <div style={{ minWidth: 0 }}>
      <MissingFonts slides={draft.slides} />
      <Group mb="sm" gap="sm" justify="space-between">
        <AddTools size={size} onAdd={(object) => add([object])} />
        <SegmentedControl
          size="xs"
          aria-label="View"
          data={[...VIEWS]}
          value={view}
          onChange={(next) => store.setState({ view: next })}
        />
      </Group>
      <div style={{ maxWidth, margin: '0 auto' }}>
        {view === 'rendered' ? (
          <FramePreview key={slide.id} slide={slide} data={draft.data} size={size} number={at + 1} />
        ) : (
          <Zoomable>
            <SlideStage key={slide.id} slide={slide} size={size} avatarPicture={pictureOf(avatars, slide)} />
          </Zoomable>
        )}
      </div>
      <Text size="xs" c="dimmed" mt={8} mb="sm">
        {view === 'rendered'
          ? 'Rendered from your current, unsaved edits, at the second of the playhead.'
          : touch
            ? 'Drag to move, tap a text twice to edit it. A larger screen helps with bigger edits.'
            : 'Drag to move, Shift-click to select several, double-click a text to edit it. Press ? for all shortcuts.'}
      </Text>
    </div>
  );
}
