import type { Assets, SlideDocument, VideoDocument } from '@figurehead/media';
import type { DocumentProblem } from './contract.js';

/** Pictures that are asked for at once: each may be 50 MB. */
const AT_ONCE = 3;

/**
 * Places of a document whose pictures cannot be fetched. Every address is asked once.
 * @param signal ends the look; what it did not come to is left to rendering.
 */
export async function pictureProblems(
  document: VideoDocument,
  assets: Assets,
  signal: AbortSignal,
): Promise<DocumentProblem[]> {
  const places = new Map<string, string[]>();
  for (const [index, slide] of document.slides.entries()) {
    for (const { src, at } of picturesOf(slide, `slides[${index}]`)) places.set(src, [...(places.get(src) ?? []), at]);
  }
  const waiting = [...places];
  const problems: DocumentProblem[] = [];
  const look = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !signal.aborted; next = waiting.shift()) {
      const [src, fields] = next;
      const reason = await assets.picture(src).then(
        () => undefined,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
      if (reason === undefined || signal.aborted) continue;
      for (const field of fields) problems.push({ field, message: `the picture cannot be fetched: ${reason}` });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, look));
  return problems.sort((a, b) => a.field.localeCompare(b.field, 'en', { numeric: true }));
}

function picturesOf(slide: SlideDocument, at: string): { src: string; at: string }[] {
  const { background } = slide;
  const behind = background.kind === 'picture' ? [{ src: background.src, at: `${at}.canvas.background` }] : [];
  return [...behind, ...slide.objects.flatMap(picturesIn)];
}

function picturesIn(object: SlideDocument['objects'][number]): { src: string; at: string }[] {
  if (object.type === 'group') return object.objects.flatMap(picturesIn);
  return object.type === 'image' ? [{ src: object.src, at: `${object.at}.src` }] : [];
}
