import { createHash, timingSafeEqual } from 'node:crypto';
import type { IceCandidate, IceServer } from '@figurehead/media';
import type { ResolvedVoice } from '../voices/index.js';

/*
 * What API and stream host say to each other: JSON over HTTP on loopback or a private network.
 *
 *   POST   /streams                   OpenRequest       → Opened
 *   PUT    /streams/{id}              {sdp}             → {}
 *   POST   /streams/{id}/candidates   {candidate}       → {}
 *   POST   /streams/{id}/speech       SpeechRequest     → Queued
 *   DELETE /streams/{id}/speech?scope=all|current       → Cut
 *   GET    /streams/{id}/stats                          → StreamStats
 *   DELETE /streams/{id}                                → {}
 *
 * A refusal is a 4xx with {code, message}.
 */

/** Header that carries the shared secret. */
export const SECRET_HEADER = 'x-figurehead-internal';

/** Asks a host for a session. */
export interface OpenRequest {
  readonly id: string;
  readonly workspaceId: string;
  readonly avatarCode: string;
  readonly width: number;
  readonly height: number;
  readonly background: string;
  readonly iceServers: readonly IceServer[];
}

/** A session is there. */
export interface Opened {
  readonly offer: string;
}

/** A browser's candidate; null ends them. */
export interface CandidateRequest {
  readonly candidate: IceCandidate | null;
}

/** Something to say. */
export interface SpeechRequest {
  readonly text: string;
  readonly voice: ResolvedVoice;
}

/** It is in the queue. */
export interface Queued {
  readonly id: string;
  readonly position: number;
  /** ISO 8601: when the stream ends unless more is said. */
  readonly expiresAt: string;
}

/** What an interruption did. */
export interface Cut {
  readonly interrupted: boolean;
  readonly dropped: number;
}

/** Why a host refuses: `gone` there is no such session, `full` it takes no more, `queue_full` too much speech waits, `bad_…` what was sent is nonsense. */
export type RefusalCode =
  | 'gone'
  | 'full'
  | 'out_of_minutes'
  | 'token_minutes'
  | 'queue_full'
  | 'bad_answer'
  | 'bad_candidate'
  | 'bad_request'
  | 'wrong_secret';

/** A host's refusal, on both ends of the wire. */
export class HostRefusal extends Error {
  constructor(
    readonly code: RefusalCode,
    message: string,
  ) {
    super(message);
    this.name = 'HostRefusal';
  }
}

/** Status of each refusal. */
export const REFUSAL_STATUS: Readonly<Record<RefusalCode, number>> = {
  gone: 404,
  full: 409,
  out_of_minutes: 409,
  token_minutes: 409,
  queue_full: 429,
  bad_answer: 400,
  bad_candidate: 400,
  bad_request: 400,
  wrong_secret: 401,
};

/** True when both are the same; takes the same time wherever they differ, and whatever their lengths. */
export function isSameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
