import type { Framing } from '@figurehead/contract/document';
import type { Manifest, PlateBox } from './manifest.js';

/** Space of a head around it, in heights of the head: above, and below the chin. Its picture has the shape of a plate. */
const HEAD = { above: 0.12, below: 0.2, aspect: 4 / 3 } as const;

/** Whether a variant can show it. */
export function isShown(name: string): name is Exclude<Framing, 'auto'> {
  return name === 'head' || name === 'bust' || name === 'waist';
}

/** The part of the plate that the framing `head` shows, plate px. */
export function headFrame({ head }: Manifest): PlateBox {
  const height = head.chinY - head.topY;
  const [top, bottom] = [head.topY - HEAD.above * height, head.chinY + HEAD.below * height];
  const half = ((bottom - top) * HEAD.aspect) / 2;
  return [head.pivotX - half, top, head.pivotX + half, bottom];
}
