import type { Pronunciation } from '@figurehead/contract';
import type { CatalogueVoice } from '@figurehead/media';
import { sql } from 'kysely';
import type { Kernel } from '../../kernel/contract.js';
import { invalidFields } from '../../kernel/errors.js';
import { speaks } from './choice.js';
import * as store from './pronunciation-store.js';

/** Pronunciations of words in a workspace. */
export interface Pronunciations {
  list(workspaceId: string): Promise<Pronunciation[]>;
  /**
   * Replaces all of them. Throws a 400 for a word or pronunciation that cannot be spoken, and for a duplicate word of
   * one language.
   */
  save(workspaceId: string, pronunciations: readonly Pronunciation[]): Promise<Pronunciation[]>;
  /** Pronunciations for a voice: spoken forms by lower-case word. Those of the voice's language take precedence. */
  dictionary(
    workspaceId: string,
    voice: Pick<CatalogueVoice, 'language' | 'locale'>,
  ): Promise<Readonly<Record<string, string>> | undefined>;
}

/** Creates {@link Pronunciations} over the database. */
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
        // Concurrent saves leave one of the lists, never a mixture.
        await sql`select pg_advisory_xact_lock(hashtextextended('pronunciations ' || ${workspaceId}, 0))`.execute(tx);
        await store.replacePronunciations(tx, workspaceId, rows);
      });
      return list(workspaceId);
    },
    async dictionary(workspaceId, voice) {
      const rows = await store.listPronunciations(kernel.db, workspaceId);
      const fitting = rows.filter(({ language }) => language === null || speaks(voice, language));
      if (fitting.length === 0) return undefined;
      // Later entries take precedence, so those of the language come last.
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
      ...(/[\p{L}\p{N}\p{S}]/u.test(word)
        ? []
        : [{ field: `${at}.word`, message: 'must contain a letter, digit or symbol' }]),
      ...(/[\p{L}\p{N}]/u.test(spoken)
        ? []
        : [{ field: `${at}.spoken`, message: 'must contain something that can be spoken' }]),
      ...(isTwice ? [{ field: `${at}.word`, message: 'is listed twice' }] : []),
    ];
  });
  const [first, ...others] = errors;
  if (first !== undefined) throw invalidFields([first, ...others]);
}
