import type { CanvasObject, TextObject } from '@figurehead/contract';

/** A presentation as read from its file, without anything drawn. Lengths are in points (1/72 inch). */
export interface Deck {
  /** Page size, pt. */
  readonly width: number;
  readonly height: number;
  readonly pages: readonly DeckPage[];
}

/** One page in the file's order. */
export interface DeckPage {
  readonly hidden: boolean;
  /** The body of the speaker notes; paragraphs are lines. */
  readonly notes: string;
  /** `#rrggbb`, or a picture of the archive. */
  readonly background: string | PictureRef | null;
  /** Bottom first. */
  readonly elements: readonly DeckElement[];
  /** What the built-in rendering leaves out, for a warning: `chart`, `diagram`. */
  readonly leftOut: readonly string[];
}

/** A part of the archive that is a picture. */
export interface PictureRef {
  readonly part: string;
}

/** Where an element is: upright box in pt, turned clockwise around its centre. */
export interface PageBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Degrees. */
  readonly angle: number;
}

/** How a piece of text looks. */
export interface TextLook {
  /** Pt. */
  readonly size: number;
  readonly bold: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  /** `#rrggbb`. */
  readonly color: string;
  readonly font: string;
}

/** A paragraph of text. */
export interface Paragraph {
  readonly runs: readonly { readonly text: string; readonly look: TextLook }[];
  /** Its list marker, such as `•` or `2.`; null without one. */
  readonly bullet: string | null;
  /** 0 is the outermost. */
  readonly level: number;
  readonly align: Exclude<TextObject['align'], 'start'>;
  readonly rightToLeft: boolean;
}

/** An element that the built-in rendering draws. */
export type DeckElement =
  | {
      readonly kind: 'text';
      readonly box: PageBox;
      readonly paragraphs: readonly Paragraph[];
      readonly anchor: Exclude<NonNullable<CanvasObject['originY']>, number>;
    }
  | { readonly kind: 'picture'; readonly box: PageBox; readonly picture: PictureRef }
  | {
      readonly kind: 'shape';
      readonly box: PageBox;
      readonly form: 'rect' | 'round' | 'ellipse';
      /** `#rrggbb`; null without. */
      readonly fill: string | null;
      readonly line: { readonly color: string; readonly width: number } | null;
    }
  /** An element that only an office program draws: a chart, diagram or freehand shape. */
  | {
      readonly kind: 'graphic';
      readonly box: PageBox;
      /** Named in a warning where it is omitted; null when a simple shape replaces it. */
      readonly what: string | null;
      /** Drawn when the office program made no picture. */
      readonly standIn: readonly DeckElement[];
    };
