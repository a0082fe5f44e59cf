import type { MicrophoneSettings, ViewerSpeech } from '../contract.js';
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
/** With push to talk: frames after the release, whose packets may still be on their way (0.2 s). */
const RELEASE_FRAMES = 10;
/** Frames between two `partial` events, 1 s. */
const PARTIAL_FRAMES = 50;
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

  /** The button of push to talk is pressed. */
  private isTalking = false;
  /** Frames without speech that end an utterance. */
  private readonly endFrames: number;

  constructor(
    private readonly onSpeech: (event: ViewerSpeech) => void,
    private readonly settings: MicrophoneSettings = {},
  ) {
    const { pauseSeconds = PAUSE, isPushToTalk = false } = settings;
    const frames = Math.round(((pauseSeconds - HANGOVER) * SPEECH_RATE) / SPEECH_FRAME);
    this.endFrames = isPushToTalk ? RELEASE_FRAMES : Math.max(2, frames);
  }

  /** An utterance has begun and not ended, or is suspected. */
  get isHearing(): boolean {
    return this.speaking || this.suspected;
  }

  /** See `LiveSession.setTalking`. */
  setTalking(isTalking: boolean): void {
    this.isTalking = isTalking && this.settings.isPushToTalk === true;
    if (!this.isTalking || this.speaking) return;
    this.frames = [];
    this.begin();
  }

  /** @param frame {@link SPEECH_FRAME} samples; kept. */
  push(frame: Int16Array, isVoiced: boolean): void {
    const { isPushToTalk = false } = this.settings;
    if (isPushToTalk && !this.speaking) return;
    this.frames.push(frame);
    if (this.speaking) this.follow(isPushToTalk ? this.isTalking : isVoiced);
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
    this.begin();
  }

  private begin(): void {
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
    if (this.silentFrames < this.endFrames && !isLong) {
      if (this.settings.partials && isVoiced && this.frames.length % PARTIAL_FRAMES === 0)
        this.onSpeech({ type: 'partial', ...joined(this.frames) });
      return;
    }
    const frames = this.frames.slice(0, this.frames.length - Math.max(0, this.silentFrames - AFTER_FRAMES));
    this.speaking = false;
    this.frames = [];
    this.recent = [];
    // A pressed button goes on after the longest utterance.
    this.onSpeech({ type: 'ended', ...joined(frames) });
    if (this.isTalking) this.begin();
  }
}

function joined(frames: readonly Int16Array[]): { samples: Int16Array; sampleRate: number } {
  const samples = new Int16Array(frames.length * SPEECH_FRAME);
  for (const [index, one] of frames.entries()) samples.set(one, index * SPEECH_FRAME);
  return { samples, sampleRate: SPEECH_RATE };
}
