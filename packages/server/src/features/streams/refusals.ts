import { LiveError } from '@figurehead/media';
import { HostRefusal } from './host/host-protocol.js';

/** Calls the engine and turns its `LiveError`s into refusals for the API; other errors pass through. */
export async function refuseLiveErrors<T>(act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof LiveError)) throw error;
    const codes = {
      bad_offer: 'bad_offer',
      bad_answer: 'bad_answer',
      bad_candidate: 'bad_candidate',
      closed: 'gone',
      no_ports: 'full',
      room_refused: 'room_refused',
    } as const;
    throw new HostRefusal(codes[error.code], error.message);
  }
}
