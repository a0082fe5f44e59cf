import type { ContentCredentials } from '@figurehead/contract';
import type { SlideDocument, VideoDocument } from '@figurehead/media';
import type { DocumentProblem } from './contract.js';
import { reasonOf } from './problems.js';

/** Use of a medium: to draw, to play or to hear. */
export type MediaKind = 'picture' | 'clip' | 'sound';

/** Maximum concurrent downloads: a picture may be 50 MB. */
const AT_ONCE = 3;

interface Place {
  readonly what: MediaKind;
  /** What its owner calls it. */
  readonly name: 'picture' | 'clip' | 'music' | 'recording';
  readonly src: string;
  readonly field: string;
}

/**
 * Places of a document with unavailable or unusable media. Every URL is requested once.
 * @param open fetches and opens a medium; rejects with its problem. Other errors than refusals are thrown on.
 * @param signal ends the check; the remaining media are checked by rendering.
 */
export async function mediaProblems(
  document: VideoDocument,
  open: (what: MediaKind, src: string) => Promise<void>,
  signal: AbortSignal,
): Promise<DocumentProblem[]> {
  const places = new Map<string, Place[]>();
  for (const place of mediaOf(document)) {
    const key = `${place.what} ${place.src}`;
    places.set(key, [...(places.get(key) ?? []), place]);
  }
  // Pictures first: they are quick, and a clip may take all the available time.
  const waiting = [...places.values()].sort(
    ([a], [b]) => Number(a?.what !== 'picture') - Number(b?.what !== 'picture'),
  );
  const problems: DocumentProblem[] = [];
  const look = async (): Promise<void> => {
    for (let same = waiting.shift(); same !== undefined && !signal.aborted; same = waiting.shift()) {
      const [first] = same;
      if (first === undefined) continue;
      const reason = await open(first.what, first.src).then(
        () => undefined,
        (error: unknown) => (signal.aborted ? undefined : reasonOf(error)),
      );
      if (reason === undefined || signal.aborted) continue;
      for (const { field, name } of same) {
        problems.push({ field, message: `the ${name} cannot be used: ${reason}` });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, look));
  return problems.sort((a, b) => a.field.localeCompare(b.field, 'en', { numeric: true }));
}

/** Source of a document: everything in it was made here, or it also shows, plays or imitates something else. */
export function sourceOf(
  document: VideoDocument,
  isBuiltIn: (presenter: string) => boolean,
): ContentCredentials['source'] {
  const presenters = document.slides.flatMap(({ avatar }) => avatar ?? []);
  const isOurs = presenters.every(isBuiltIn) && mediaOf(document).length === 0;
  return isOurs ? 'trainedAlgorithmicMedia' : 'compositeWithTrainedAlgorithmicMedia';
}

/** Every medium of a document, in its order. */
export function mediaOf({ slides, data }: VideoDocument): Place[] {
  const music: Place[] =
    data.musicUrl === null ? [] : [{ what: 'sound', name: 'music', src: data.musicUrl, field: 'data.musicUrl' }];
  return [...slides.flatMap((slide, index) => mediaOn(slide, `slides[${index}]`)), ...music];
}

function mediaOn({ background, objects, recording }: SlideDocument, at: string): Place[] {
  const field = `${at}.canvas.background`;
  const spoken: Place[] =
    recording === null ? [] : [{ what: 'sound', name: 'recording', src: recording, field: `${at}.recording.src` }];
  const behind: Place[] = [];
  if (background.kind === 'picture') behind.push({ what: 'picture', name: 'picture', src: background.src, field });
  if (background.kind === 'video') behind.push({ what: 'clip', name: 'clip', src: background.src, field });
  return [...spoken, ...behind, ...objects.flatMap(mediaIn)];
}

function mediaIn(object: SlideDocument['objects'][number]): Place[] {
  const clipped = object.clip === null ? [] : mediaIn(object.clip);
  if (object.type === 'group') return [...clipped, ...object.objects.flatMap(mediaIn)];
  const field = `${object.at}.src`;
  if (object.type === 'image') return [...clipped, { what: 'picture', name: 'picture', src: object.src, field }];
  if (object.type === 'video') return [...clipped, { what: 'clip', name: 'clip', src: object.src, field }];
  return clipped;
}
