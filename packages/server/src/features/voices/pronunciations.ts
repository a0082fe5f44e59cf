import type { Pronunciation } from '@figurehead/contract';
import type { Voice } from '@figurehead/media';
import { sql } from 'kysely';
import type { Kernel } from '../../kernel/contract.js';
import { invalidFields } from '../../kernel/http/error.js';
import { speaks } from './choice.js';
import * as store from './pronunciation-store.js';

/** How words are said in a workspace. */
export interface Pronunciations {
  list(workspaceId: string): Promise<Pronunciation[]>;
  /** Replaces all of them. Throws a 400 for what cannot be said, and for a word that is there twice in one language. */
  save(workspaceId: string, pronunciations: readonly Pronunciation[]): Promise<Pronunciation[]>;
  /** What the engine is given for a voice: spoken forms by the word in lower case. Those of the voice's language win. */
  dictionary(
    workspaceId: string,
    voice: Pick<Voice, 'language' | 'locale'>,
  ): Promise<Readonly<Record<string, string>> | undefined>;
}

/** Opens the dictionaries. */
export function createPronunciations(kernel: Kernel): Pronunciations {
  const list = async (workspaceId: string): Promise<Pronunciation[]> =>
    store.listPronunciations(kernel.db, workspaceId);
  return {
    list,
    async save(workspaceId, pronunciations) {
      const rows = pronunciations.map(({ word, spoken, language }) => ({
        word: word.trim(),
        spoken: spoken.trim(),
        language: language?.trim() || null,
      }));
      requireSayable(rows);
      await kernel.transaction(async (tx) => {
        // Two people who save at once leave the list of one of them, not a mixture.
        await sql`select pg_advisory_xact_lock(hashtextextended('pronunciations ' || ${workspaceId}, 0))`.execute(tx);
        await store.replacePronunciations(tx, workspaceId, rows);
      });
      return list(workspaceId);
    },
    async dictionary(workspaceId, voice) {
      const rows = await store.listPronunciations(kernel.db, workspaceId);
      const fitting = rows.filter(({ language }) => language === null || speaks(voice, language));
      if (fitting.length === 0) return undefined;
      // Later entries win, so those of the language come last.
      fitting.sort((a, b) => Number(a.language !== null) - Number(b.language !== null));
      return Object.fromEntries(fitting.map(({ word, spoken }) => [word.toLowerCase(), spoken]));
    },
  };
}

function requireSayable(rows: readonly store.PronunciationRow[]): void {
  const seen = new Set<string>();
  const errors = rows.flatMap(({ word, spoken, language }, index) => {
    const at = `pronunciations[${index}]`;
    const key = JSON.stringify([word.toLowerCase(), language?.toLowerCase() ?? null]);
    const isTwice = seen.has(key);
    seen.add(key);
    return [
      ...(/[\p{L}\p{N}\p{S}]/u.test(word) ? [] : [{ field: `${at}.word`, message: 'has no letter, figure or sign' }]),
      ...(/[\p{L}\p{N}]/u.test(spoken) ? [] : [{ field: `${at}.spoken`, message: 'has nothing that can be spoken' }]),
      ...(isTwice ? [{ field: `${at}.word`, message: 'is there twice' }] : []),
    ];
  });
  const [first, ...others] = errors;
  if (first !== undefined) throw invalidFields([first, ...others]);
}
