import { putEntry, readEntry } from '../../../lib/browser-entries.js';
import type { Draft } from '../document.js';

/** Unsaved changes of a video. */
export interface KeptDraft {
  readonly draft: Draft;
  /** The version that they change. */
  readonly etag: string | undefined;
}

/** The unsaved changes of one video in this browser, of one user in one workspace. */
export interface KeptDrafts {
  /** Keeps the changes of this editor. False when the browser has no space for them, or allows none. */
  keep(kept: KeptDraft): boolean;
  /** Forgets the changes of this editor. */
  drop(): void;
  /** Changes of other editors, latest first: of another tab, or left behind by one that was closed. */
  others(): readonly (KeptDraft & { readonly savedAt: string })[];
  /** Forgets the changes of other editors. */
  dropOthers(): void;
}

/**
 * Kept changes in a storage; `undefined` where the browser allows none. Entries have the key
 * `figurehead:draft:WORKSPACE:USER:VIDEO:EDITOR`.
 */
export function openKeptDrafts(
  storage: Storage | undefined,
  owner: { readonly workspaceId: string; readonly userId: string; readonly videoId: string; readonly editorId: string },
): KeptDrafts {
  const prefix = `figurehead:draft:${owner.workspaceId}:${owner.userId}:${owner.videoId}:`;
  const key = prefix + owner.editorId;
  const otherKeys = () => Object.keys(storage ?? {}).filter((name) => name.startsWith(prefix) && name !== key);
  return {
    keep: (kept) => putEntry(storage, key, kept),
    drop: () => storage?.removeItem(key),
    others: () =>
      otherKeys()
        .flatMap((name) => readEntry<KeptDraft>(storage, name, isKept) ?? [])
        .sort((a, b) => b.savedAt.localeCompare(a.savedAt)),
    dropOthers() {
      for (const name of otherKeys()) storage?.removeItem(name);
    },
  };
}

function isKept({ draft }: Record<string, unknown>): boolean {
  return typeof draft === 'object' && draft !== null && 'slides' in draft && Array.isArray(draft.slides);
}
