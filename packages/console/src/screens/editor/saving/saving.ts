import { ChangedSinceError } from '@figurehead/sdk';
import { hashKey } from '@tanstack/react-query';
import type { Draft } from '../document.js';
import type { KeptDraft, KeptDrafts } from './kept-drafts.js';
import type { SavingControl, SavingState, Version } from './state.js';

/** The calls of one video. */
export interface Server {
  /** Rejects with a `ChangedSinceError` when the server has another version than `etag`. */
  save(draft: Draft, etag: string | undefined): Promise<Version>;
  read(): Promise<Version>;
}

/** A document changed between a save and its answer. */
export class ConflictError extends Error {
  constructor() {
    super('This video was also changed elsewhere. Choose first which version stays.');
    this.name = 'ConflictError';
  }
}

/** Delay after the last change before it is saved, and between copies in the browser while the user types, ms. */
const PAUSE_MS = 800;
const KEEP_MS = 300;
/** Bounds of the pause before a save is repeated, ms. */
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 30_000;

/** The part of the editor's store that saving reads and sets. */
interface SavedStore {
  getState(): { readonly draft: Draft; readonly saving: SavingState; readonly at: number };
  setState(change: {
    readonly draft?: Draft;
    readonly saving?: SavingState;
    readonly at?: number;
    readonly selected?: readonly number[];
  }): void;
  subscribe(listener: (now: { readonly draft: Draft }, before: { readonly draft: Draft }) => void): () => void;
}

/** What a {@link Saving} works with. */
interface SavingOptions {
  readonly store: SavedStore;
  readonly server: Server;
  readonly drafts: KeptDrafts;
  /** The version in the store. */
  readonly opened: Version;
  /** Whether a failed save may succeed later without a change. */
  readonly repeats: (error: unknown) => boolean;
}

/**
 * Saves a store's document shortly after each change, one request at a time. Until the server has confirmed a change, the
 * browser keeps it.
 */
export class Saving implements SavingControl {
  /** The document in the store that the server has, and the server's own version of it. */
  #stored: Draft;
  #known: Version;
  /** Sent without an answer: the server may have it. */
  #sent: Draft | undefined;
  #failures = 0;
  #isOpen = false;
  #saveTimer: ReturnType<typeof setTimeout> | undefined;
  #keepTimer: ReturnType<typeof setTimeout> | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(private readonly options: SavingOptions) {
    this.#stored = this.#draft;
    this.#known = options.opened;
  }

  /** Watches the store until the returned function is called, which keeps unsaved changes in the browser. */
  start(): () => void {
    this.#isOpen = true;
    const stop = this.options.store.subscribe(({ draft }, before) => {
      if (draft !== before.draft) this.#onChange();
    });
    return () => {
      this.#isOpen = false;
      stop();
      clearTimeout(this.#saveTimer);
      this.keep();
    };
  }

  /** Saves now: resolves once everything is saved, rejects when saving fails or the user has to decide. */
  readonly flush = (): Promise<void> => {
    clearTimeout(this.#saveTimer);
    this.#running = this.#running.catch(() => undefined).then(() => this.#save());
    return this.#running;
  };

  /** Whether the server lacks something. */
  isUnsaved(): boolean {
    return this.#draft !== this.#stored;
  }

  keep(): boolean {
    clearTimeout(this.#keepTimer);
    this.#keepTimer = undefined;
    return !this.isUnsaved() || this.options.drafts.keep({ draft: this.#draft, etag: this.#known.etag });
  }

  resume(kept: KeptDraft): void {
    const theirs = this.#known;
    // Kept again with the version that they change, in case the page is closed before the decision.
    this.#known = { ...theirs, etag: kept.etag };
    const isOutdated = kept.etag !== theirs.etag;
    if (isOutdated) this.#show({ step: 'conflict', theirs });
    this.#open(kept.draft);
  }

  takeTheirs(): void {
    const theirs = this.#conflicting();
    this.#open(theirs.draft);
    this.#settle(theirs.draft, theirs);
  }

  overwrite(): Promise<void> {
    this.#known = this.#conflicting();
    this.#show({ step: 'waiting' });
    return this.flush();
  }

  get #draft(): Draft {
    return this.options.store.getState().draft;
  }

  get #step(): SavingState['step'] {
    return this.options.store.getState().saving.step;
  }

  #show(saving: SavingState): void {
    this.options.store.setState({ saving });
  }

  /** Shows another document, as a step that can be undone. */
  #open(draft: Draft): void {
    const { store } = this.options;
    const at = Math.max(0, Math.min(store.getState().at, draft.slides.length - 1));
    store.setState({ draft, at, selected: [] });
  }

  #onChange(): void {
    this.#keepTimer ??= setTimeout(() => this.keep(), KEEP_MS);
    if (this.#step === 'conflict') return;
    this.#saveIn(PAUSE_MS);
    if (this.#step !== 'failed') this.#show({ step: 'waiting' });
  }

  #saveIn(ms: number): void {
    clearTimeout(this.#saveTimer);
    // The state tells a failure.
    this.#saveTimer = setTimeout(() => void this.flush().catch(() => undefined), ms);
  }

  async #save(): Promise<void> {
    if (this.#step === 'conflict') throw new ConflictError();
    const wanted = this.#draft;
    if (wanted === this.#stored) return this.#settle(wanted, this.#known);
    // A failure stays on the screen until a save succeeds.
    if (this.#step !== 'failed') this.#show({ step: 'saving' });
    try {
      await this.#send(wanted);
    } catch (error) {
      if (!(error instanceof ConflictError)) this.#fail(error);
      throw error;
    }
  }

  async #send(wanted: Draft): Promise<void> {
    const before = this.#sent;
    this.#sent = wanted;
    try {
      this.#settle(wanted, await this.options.server.save(wanted, this.#known.etag));
    } catch (error) {
      if (!(error instanceof ChangedSinceError)) throw error;
      await this.#reconcile(wanted, before, error);
    }
  }

  /** The server has another version: a save whose answer was lost, another folder or tags, or a change of another user. */
  async #reconcile(wanted: Draft, before: Draft | undefined, refusal: ChangedSinceError): Promise<void> {
    const theirs = await this.options.server.read();
    // Not understood on the way, for instance by a proxy: sending it again at once would not end.
    if (theirs.etag === this.#known.etag) throw refusal;
    if (isSame(theirs.draft, wanted)) return this.#settle(wanted, theirs);
    if (isSame(theirs.draft, this.#known.draft) || (before && isSame(theirs.draft, before))) {
      this.#known = theirs;
      return this.#send(wanted);
    }
    this.keep();
    this.#show({ step: 'conflict', theirs });
    throw new ConflictError();
  }

  #settle(wanted: Draft, version: Version): void {
    this.#stored = wanted;
    this.#known = version;
    this.#sent = undefined;
    this.#failures = 0;
    if (this.isUnsaved()) {
      this.keep();
      this.#show({ step: 'waiting' });
      return;
    }
    clearTimeout(this.#keepTimer);
    this.#keepTimer = undefined;
    this.options.drafts.drop();
    this.#show({ step: 'saved' });
  }

  #fail(error: unknown): void {
    const repeats = this.options.repeats(error);
    this.#show({ step: 'failed', error, repeats, isKept: this.keep() });
    if (!repeats || !this.#isOpen) return;
    const pause = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#saveIn(pause * (0.5 + Math.random() / 2));
  }

  /** The version that the user decides about. */
  #conflicting(): Version {
    const { saving } = this.options.store.getState();
    if (saving.step !== 'conflict') throw new Error(`a decision was made without a conflict, while ${saving.step}`);
    return saving.theirs;
  }
}

/** Whether two documents are equal. The order of keys, and speech that the server stores, do not count. */
export function isSame(a: Draft, b: Draft): boolean {
  return contentOf(a) === contentOf(b);
}

function contentOf({ name, slides, data }: Draft): string {
  return hashKey([name.trim() || UNTITLED, slides.map(({ audio: _audio, ...slide }) => slide), data]);
}

/** Name of a video whose name was deleted. */
export const UNTITLED = 'Untitled video';
