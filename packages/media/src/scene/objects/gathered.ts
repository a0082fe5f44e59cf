import type { PictureAnswer, PictureRequest } from '@figurehead/presenter/painting';
import { type Pictures, SceneError } from '../assets.js';

/** Fetches and decodes every picture that preparing asks for. Throws {@link SceneError}. */
export async function gathered<T>(
  preparing: Generator<PictureRequest, T, PictureAnswer>,
  pictures: Pictures,
): Promise<T> {
  let step = preparing.next();
  while (step.done !== true) step = preparing.next(await answered(step.value, pictures));
  return step.value;
}

async function answered({ object, place }: PictureRequest, pictures: Pictures): Promise<PictureAnswer> {
  const picture = await pictures.open(object.src, `${object.at}.src`);
  const { width, height } = picture.size;
  const { target, window } = place(picture.size);
  if (window !== null && (window.x >= width || window.y >= height)) {
    throw new SceneError(object.at, `expected a crop inside the picture of ${width}×${height} px`);
  }
  return { natural: picture.size, canvas: await picture.draw(target, window) };
}
