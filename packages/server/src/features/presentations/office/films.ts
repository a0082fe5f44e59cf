import { writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { CanvasObject } from '@figurehead/contract';
import type { Deck, DeckClip } from '../reading/deck.js';
import { type PageSize, placeOf, rounded } from '../reading/frame.js';
import type { Reader } from '../reading/reader.js';

/** A stored film. */
export interface KeptFilm {
  readonly src: string;
  readonly seconds: number;
}

interface FilmSource {
  readonly reader: Reader;
  readonly deck: Deck;
  /** Size of the canvas that the page is centred on. */
  readonly canvas: PageSize;
  readonly folder: string;
  readonly warnings: string[];
  /** `undefined` when it cannot be played. */
  keepFilm(name: string, path: string): Promise<KeptFilm | undefined>;
}

/** Films of a deck as objects of slides. */
export class Films {
  readonly #source: FilmSource;
  /** By part: pages may share one. */
  readonly #kept = new Map<string, Promise<KeptFilm | undefined>>();

  constructor(source: FilmSource) {
    this.#source = source;
  }

  /** Films of a page at their places; warns of what is not played. */
  async of(
    clips: readonly DeckClip[],
    { page, isMuted }: { page: number; isMuted: boolean },
  ): Promise<(KeptFilm & { object: CanvasObject })[]> {
    const { deck, canvas, warnings } = this.#source;
    const { scale, left, top } = placeOf(deck, canvas);
    const films: (KeptFilm & { object: CanvasObject })[] = [];
    for (const clip of clips) {
      const kept = clip.type === 'audio' || clip.part === null ? undefined : await this.#keep(clip.part);
      if (kept === undefined) {
        const why = clip.part === null ? ' It is not in the presentation.' : '';
        const what = clip.type === 'audio' ? 'sound' : 'film';
        warnings.push(`The ${what} ${clip.name} of page ${page} is not played.${why}`);
        continue;
      }
      // Beside notes its sound would cover the presenter.
      const sound = isMuted ? {} : { muted: false };
      const place = {
        left: rounded(left + clip.left * scale),
        top: rounded(top + clip.top * scale),
        width: rounded(clip.width * scale),
        height: rounded(clip.height * scale),
      };
      films.push({ ...kept, object: { type: 'video', ...place, src: kept.src, loop: false, ...sound } });
    }
    return films;
  }

  #keep(part: string): Promise<KeptFilm | undefined> {
    const kept = this.#kept.get(part) ?? this.#convert(part, `film-${String(this.#kept.size + 1).padStart(3, '0')}`);
    this.#kept.set(part, kept);
    return kept;
  }

  async #convert(part: string, name: string): Promise<KeptFilm | undefined> {
    const bytes = await this.#source.reader.part(part);
    if (bytes === undefined) return undefined;
    const path = join(this.#source.folder, `${name}${extname(part)}`);
    await writeFile(path, bytes);
    return this.#source.keepFilm(name, path);
  }
}
