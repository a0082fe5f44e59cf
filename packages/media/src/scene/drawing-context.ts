import type { Compositor, PresenterPack } from '@figurehead/presenter';
import type { YuvFrame } from '@figurehead/presenter/frame';
import type { Pictures } from './assets.js';
import type { CanvasLibrary } from './objects/canvas.js';
import type { Viewport } from './resolved-slide.js';
import type { Fonts } from './text/fonts.js';

/** Everything that drawing a slide needs, except the slide itself. */
export interface DrawingContext {
  readonly viewport: Viewport;
  readonly library: CanvasLibrary;
  readonly pictures: Pictures;
  readonly fonts: Fonts;
  readonly loadPack: (folder: string) => Promise<PresenterPack>;
  /** Draws presenters into stills. */
  readonly stillCompositor: () => Promise<StillCompositor>;
}

/** A compositor and a frame of the video's size in its memory. */
export interface StillCompositor {
  readonly compositor: Compositor;
  readonly target: YuvFrame;
}
