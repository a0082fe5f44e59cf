/** Place of the presenter on a slide without an `avatar` object, as shares of the frame. */
const PRESENTER_PLACES = {
  '16_9': {
    beside: { x: 0.47, y: 0.2, width: 0.53, height: 0.8 },
    alone: { x: 0.1, y: 0.06, width: 0.8, height: 0.94 },
  },
  // Wider than the frame, which cuts the plate's empty sides off: a person as wide as the frame.
  '9_16': {
    beside: { x: -0.225, y: 0.5, width: 1.45, height: 0.5 },
    alone: { x: -0.225, y: 0.3, width: 1.45, height: 0.7 },
  },
  '1_1': { beside: { x: 0.3, y: 0.42, width: 0.7, height: 0.58 }, alone: { x: 0, y: 0.14, width: 1, height: 0.86 } },
} as const;

/**
 * Default box of a presenter in a frame, in its units: on the right, below or next to other objects; in the middle of an empty slide. The
 * picture fits inside, aligned to the bottom.
 */
export function presenterBox(frame: { readonly width: number; readonly height: number }, hasObjects: boolean) {
  const { width, height } = frame;
  const places = PRESENTER_PLACES[width > height ? '16_9' : width < height ? '9_16' : '1_1'];
  const share = hasObjects ? places.beside : places.alone;
  return { x: share.x * width, y: share.y * height, width: share.width * width, height: share.height * height };
}

/** Width to height of the boxes that a presenter fills; between a square and this, it grows gradually. */
const PORTRAIT = 0.75;

/**
 * Width of the part of a presenter's picture that an `avatar` object shows: in a box that is clearly higher than wide, the box's sides cut the
 * shoulders, as in a portrait. The part is as high as the picture and has the face in its middle.
 * @param aspect width to height of the box
 * @param least width of the face in the picture, px
 */
export function portraitWidth(picture: { width: number; height: number }, aspect: number, least: number): number {
  const share = Math.min(1, Math.max(0, (1 - aspect) / (1 - PORTRAIT)));
  const covering = Math.min(picture.width, Math.max(least, picture.height * aspect));
  return picture.width + (covering - picture.width) * share;
}
