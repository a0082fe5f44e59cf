import type { Video } from '@figurehead/sdk';
import { useDocumentTitle } from '@mantine/hooks';
import { memo, useMemo, useState } from 'react';
import { CanvasArea } from './canvas/canvas-area.js';
import { useClipboard } from './clipboard.js';
import { draftOf, spokenKey } from './document.js';
import { SidePanel } from './panels/side-panel.js';
import type { KeptDrafts } from './saving/kept-drafts.js';
import { SavingNotices } from './saving/notices.js';
import { useSaving } from './saving/use-saving.js';
import { ShortcutList, useShortcuts } from './shortcuts.js';
import { SlideStrip } from './slide-strip.js';
import { actionsOf, createEditorStore, type Editor, EditorContext, useSlide } from './store.js';
import { Timeline } from './timeline/timeline.js';
import { Toolbar } from './toolbar.js';

/** The editor of one video: slides, canvas, properties. */
export function Workbench({ video }: { readonly video: Video }) {
  useDocumentTitle(`Edit ${video.name} · Figurehead`);
  const [store] = useState(() => createEditorStore(draftOf(video)));
  const [opened] = useState(
    () => new Map(video.slides.flatMap((slide) => (slide.audio ? [[spokenKey(slide), slide.audio] as const] : []))),
  );
  const { saving, drafts } = useSaving(video, store);
  const editor = useMemo(
    (): Editor => ({ ...actionsOf(store), store, videoId: video._id, flush: saving.flush, saving, opened }),
    [store, video._id, saving, opened],
  );
  return (
    <EditorContext value={editor}>
      <Panes drafts={drafts} />
    </EditorContext>
  );
}

/** Its parts read the store by themselves: the answer to each saving does not draw them again. */
const Panes = memo(function Panes({ drafts }: { readonly drafts: KeptDrafts }) {
  return (
    <>
      <ToolbarWithShortcuts />
      <SavingNotices drafts={drafts} />
      <div className="fh-editor">
        <SlideStrip />
        <CanvasArea />
        <SlideTimeline />
        <SidePanel />
      </div>
    </>
  );
});

/** The timeline of the slide on the canvas. */
function SlideTimeline() {
  const slide = useSlide();
  return slide ? <Timeline key={slide.id} slide={slide} /> : null;
}

/** The toolbar, with the keyboard and the clipboard of the whole screen. */
function ToolbarWithShortcuts() {
  const { onOpen, ...list } = useShortcuts();
  useClipboard();
  return (
    <>
      <ShortcutList {...list} />
      <Toolbar onHelp={onOpen} />
    </>
  );
}
