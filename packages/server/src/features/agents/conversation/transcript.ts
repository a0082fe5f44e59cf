import type { ConversationTurn } from '@figurehead/contract';
import type { Kernel } from '../../../kernel/contract.js';
import * as store from '../store.js';

/** Stores what is said, in order. Failures are logged and never stop the conversation. */
export interface Transcript {
  add(turn: Omit<ConversationTurn, 'at'>): void;
  /** Resolves when everything is stored. */
  end(): Promise<void>;
}

/** The transcript of a new conversation; its row is written with the first turn. */
export function openTranscript(
  { db, clock, ids, log }: Pick<Kernel, 'db' | 'clock' | 'ids' | 'log'>,
  about: { readonly agentId: string; readonly streamId: string },
): Transcript {
  const id = ids.next();
  const startedAt = new Date(clock.now());
  let written = Promise.resolve();
  let isEmpty = true;
  const write = (act: () => Promise<void>) => {
    written = written.then(act).catch((error: unknown) => {
      log.warn({ err: error, ...about }, 'a part of a transcript could not be stored');
    });
  };
  return {
    add(turn) {
      if (isEmpty) write(() => store.insertConversation(db, { id, ...about, startedAt }));
      isEmpty = false;
      const at = new Date(clock.now()).toISOString();
      write(() => store.appendTurn(db, id, { ...turn, at }));
    },
    end() {
      if (!isEmpty) write(() => store.endConversation(db, id, new Date(clock.now())));
      return written;
    },
  };
}

/** The transcript of an agent that keeps none. */
export const NO_TRANSCRIPT: Transcript = { add: () => undefined, end: async () => undefined };
