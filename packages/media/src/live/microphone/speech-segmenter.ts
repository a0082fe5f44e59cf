import type { ViewerSpeech } from '../contract.js';
import { SPEECH_FRAME, SPEECH_RATE } from './voice-activity.js';

/*
 * silence ──7 of the last 8 frames are speech──▶ speaking ──0.2 s without speech, or MAX_SPEECH_SECONDS──▶ silence
 */

/** Frames of the start, and how many of them must be speech: 0.14 s. A click, a knock or a very short cough is shorter. */
const START = { frames: 8, voiced: 7 } as const;
/** Frames without speech that end an utterance. The detector holds for up to 0.15 s, so the pause is 0.35 s: longer than most between words. */
const END_FRAMES = 10;
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

  constructor(private readonly onSpeech: (event: ViewerSpeech) => void) {}

  /** An utterance has begun and not ended. */
  get isSpeaking(): boolean {
    return this.speaking;
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
    if (this.recent.filter(Boolean).length < START.voiced) return;
    this.speaking = true;
    this.silentFrames = 0;
    this.onSpeech({ type: 'began' });
  }

  private follow(isVoiced: boolean): void {
    this.silentFrames = isVoiced ? 0 : this.silentFrames + 1;
    const isLong = this.frames.length * SPEECH_FRAME >= MAX_SPEECH_SECONDS * SPEECH_RATE;
    if (this.silentFrames < END_FRAMES && !isLong) return;
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
