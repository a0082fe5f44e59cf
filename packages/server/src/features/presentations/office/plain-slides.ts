import type { CanvasObject, Slide } from '@figurehead/contract';
import { slideFrom } from '@figurehead/contract/layouts';
import type { DeckPage } from '../reading/deck.js';
import type { PageFrame } from '../reading/frame.js';

/**
 * A page as a slide in one of our layouts, for servers without LibreOffice: its title, its text, and a picture where the
 * layout has its presenter.
 */
export function plainCanvas(
  page: DeckPage,
  { canvas: size }: PageFrame,
  picture: string | undefined,
): NonNullable<Slide['canvas']> {
  const fill = { layout: 'bullets', speech: '', texts: { title: page.title, body: page.text } } as const;
  const { canvas } = slideFrom('bullets', { id: 1, cast: { avatar: null }, size, fill });
  const objects = (canvas?.objects ?? []).flatMap((object): CanvasObject[] => {
    const { left = 0, top = 0, width = 0, height = 0 } = object;
    if (object.type === 'avatar' && picture !== undefined) {
      return [{ type: 'image', left, top, width, height, src: picture, fit: 'contain' }];
    }
    if (object.type !== 'textbox' || object.text === '') return [];
    const margin = Number(left);
    const room = object.id === 'body' ? { height: size.height - margin - Number(top) } : {};
    return [{ ...object, ...room, ...(picture === undefined && { width: size.width - 2 * margin }), fitTextBox: true }];
  });
  return { ...canvas, objects };
}
