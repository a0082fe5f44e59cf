import type { ViewerSpeech } from '../contract.js';
import { SPEECH_FRAME, SPEECH_RATE } from './voice-activity.js';

/*
 * silence ──3 frames are speech──▶ suspected ──7 of the last 8 frames are──▶ speaking ──a pause, or MAX_SPEECH_SECONDS──▶ silence
 *    ▲                                 │
 *    └──────2 frames are not───────────┘
 */

/** Frames of the start, and how many of them must be speech: 0.14 s. A click, a knock or a very short cough is shorter. */
const START = { frames: 8, voiced: 7 } as const;
/** Frames of speech after which it is suspected: 60 ms. */
const SUSPECTED_AFTER = 3;
/** Frames that are not speech after which a suspicion was wrong. */
const DISMISSED_AFTER = 2;
/** Frames (3 s) after a wrong suspicion in which there is no other one, so that typing and echoes do not make the presenter stutter. */
const TRUSTING_FRAMES = 150;
/** Seconds for which the detector holds after speech. */
const HANGOVER = 0.15;
/** Pause that ends an utterance, seconds: longer than most between words. */
const PAUSE = 0.35;
/** Longest utterance; music that is taken for speech is cut here. */
export const MAX_SPEECH_SECONDS = 30;
/** Frames before the start that belong to the utterance (0.5 s): soft first sounds are not recognised as speech. */
const BEFORE_FRAMES = 25;
/** Frames after the last speech that are kept, 0.1 s. */
const AFTER_FRAMES = 5;

/** Cuts the frames of a microphone into utterances. */
export class SpeechSegmenter {
  /** Frames of the utterance, or the latest ones before it. */
  private frames: Int16Array[] = [];
  private recent: boolean[] = [];
  private speaking = false;
  private silentFrames = 0;
  private suspected = false;
  /** Frames until speech may be suspected again. */
  private trusting = 0;

  /** Frames without speech that end an utterance. */
  private readonly endFrames: number;

  constructor(
    private readonly onSpeech: (event: ViewerSpeech) => void,
    pauseSeconds = PAUSE,
  ) {
    this.endFrames = Math.max(2, Math.round(((pauseSeconds - HANGOVER) * SPEECH_RATE) / SPEECH_FRAME));
  }

  /** An utterance has begun and not ended, or is suspected. */
  get isHearing(): boolean {
    return this.speaking || this.suspected;
  }

  /** @param frame {@link SPEECH_FRAME} samples; kept. */
  push(frame: Int16Array, isVoiced: boolean): void {
    this.frames.push(frame);
    if (this.speaking) this.follow(isVoiced);
    else this.await(isVoiced);
  }

  private await(isVoiced: boolean): void {
    if (this.frames.length > BEFORE_FRAMES) this.frames.shift();
    this.recent.push(isVoiced);
    if (this.recent.length > START.frames) this.recent.shift();
    this.silentFrames = isVoiced ? 0 : this.silentFrames + 1;
    if (this.recent.filter(Boolean).length < START.voiced) {
      this.suspect();
      return;
    }
    this.speaking = true;
    this.suspected = false;
    this.silentFrames = 0;
    this.onSpeech({ type: 'began' });
  }

  private suspect(): void {
    if (this.suspected && this.silentFrames >= DISMISSED_AFTER) {
      this.suspected = false;
      this.trusting = TRUSTING_FRAMES;
      this.onSpeech({ type: 'dismissed' });
    } else if (this.trusting > 0) this.trusting -= 1;
    else if (!this.suspected && this.recent.slice(-SUSPECTED_AFTER).filter(Boolean).length === SUSPECTED_AFTER) {
      this.suspected = true;
      this.onSpeech({ type: 'suspected' });
    }
  }

  private follow(isVoiced: boolean): void {
    this.silentFrames = isVoiced ? 0 : this.silentFrames + 1;
    const isLong = this.frames.length * SPEECH_FRAME >= MAX_SPEECH_SECONDS * SPEECH_RATE;
    if (this.silentFrames < this.endFrames && !isLong) return;
    const frames = this.frames.slice(0, this.frames.length - Math.max(0, this.silentFrames - AFTER_FRAMES));
    this.speaking = false;
    this.frames = [];
    this.recent = [];
    const samples = new Int16Array(frames.length * SPEECH_FRAME);
    frames.forEach((one, index) => {
      samples.set(one, index * SPEECH_FRAME);
    });
    this.onSpeech({ type: 'ended', samples, sampleRate: SPEECH_RATE });
  }
}
