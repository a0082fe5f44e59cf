import type { Draft } from '../document.js';
import type { KeptDraft } from './kept-drafts.js';

/** A document as the server has it. */
export interface Version {
  readonly draft: Draft;
  /** For the next save: the server refuses it when it has another version by then. */
  readonly etag: string | undefined;
}

/** Whether the server has the document. */
export type SavingState =
  /** `waiting` for the end of a burst of changes. */
  | { readonly step: 'saved' | 'waiting' | 'saving' }
  /** Tried again by itself when `repeats`. `isKept`: the browser has the changes. */
  | { readonly step: 'failed'; readonly error: unknown; readonly repeats: boolean; readonly isKept: boolean }
  /** Saved by another user or tab meanwhile: the user decides which version stays. */
  | { readonly step: 'conflict'; readonly theirs: Version };

/** What the user can decide about unsaved changes. */
export interface SavingControl {
  /** Keeps unsaved changes in the browser now, before the page goes away. False when the browser cannot. */
  keep(): boolean;
  /** Continues with changes that were kept earlier. When the video was changed since, the user decides. */
  resume(kept: KeptDraft): void;
  /** Ends a conflict with the other version in the editor, as a step that can be undone. */
  takeTheirs(): void;
  /** Ends a conflict by saving over the other version. */
  overwrite(): Promise<void>;
}
