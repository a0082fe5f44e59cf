import { SAMPLE_RATE } from '@figurehead/presenter/time';
import { AvError } from '../../encode/av.js';
import { openResampler } from '../../speech/resample.js';
import type { MicrophoneSettings, ViewerSpeech } from '../contract.js';
import { AUDIO_FRAME } from '../playout/media-clock.js';
import { parseRtp } from '../rtp/packet.js';
import { OpusDecoder } from './opus-decoder.js';
import { SpeechSegmenter } from './speech-segmenter.js';
import { SPEECH_FRAME, SPEECH_RATE, type VoiceActivity } from './voice-activity.js';

/**
 * A gap up to this long is filled with silence, samples: longer ones only have to end the utterance. Several gaps are not filled
 * with more than this and the time that has passed: a viewer's timestamps may claim anything, and silence costs as much as sound.
 */
const MAX_GAP = SAMPLE_RATE;
/** Without a packet for this long the viewer is silent: a microphone that was muted or unplugged sends none. */
const QUIET_AFTER_MS = 200;
const SILENT_FRAME = new Int16Array(SPEECH_FRAME);

export interface MicrophoneOptions extends MicrophoneSettings {
  /** Payload type of Opus in the viewer's packets. */
  readonly payloadType: number;
  /** The microphone closes it. */
  readonly activity: VoiceActivity;
  readonly onSpeech: (event: ViewerSpeech) => void;
}

/** Finds utterances in the RTP packets of a viewer's microphone, on the calling thread: 0.1 ms for 20 ms of sound. The creator closes it. */
export class Microphone {
  private readonly decoder = new OpusDecoder();
  private readonly resampler = openResampler(SAMPLE_RATE, SPEECH_RATE);
  private readonly segmenter: SpeechSegmenter;
  /** Resampled and not yet a whole frame. */
  private rest = new Float32Array(0);
  private next: { readonly sequence: number; readonly timestamp: number } | undefined;
  private lastPacketMs = 0;
  /** Samples of silence that may be filled in now. */
  private budget = MAX_GAP;
  private isOpen = true;

  constructor(private readonly options: MicrophoneOptions) {
    this.segmenter = new SpeechSegmenter(options.onSpeech, options);
  }

  /** Takes an RTP packet. Late, repeated and foreign ones are dropped. */
  onPacket(bytes: Uint8Array, nowMs: number): void {
    const packet = parseRtp(bytes);
    if (!this.isOpen || packet?.payloadType !== this.options.payloadType || packet.payload.length === 0) return;
    const { sequence, timestamp, payload } = packet;
    const { next } = this;
    // Half the number space back: late (RFC 3550 section A.1).
    if (next && ((sequence - next.sequence) & 0xffff) >= 0x8000) return;
    const gap = next ? (timestamp - next.timestamp) >>> 0 : 0;
    this.budget = Math.min(MAX_GAP, this.budget + Math.round((nowMs - this.lastPacketMs) * (SAMPLE_RATE / 1000)));
    if (gap > 0 && gap < 2 ** 31) this.fill(gap);
    const samples = this.decode(payload);
    this.next = { sequence: (sequence + 1) & 0xffff, timestamp: (timestamp + samples.length) >>> 0 };
    this.lastPacketMs = nowMs;
    this.take(samples);
  }

  /** See `LiveSession.setTalking`. */
  setTalking(isTalking: boolean): void {
    this.segmenter.setTalking(isTalking);
  }

  /** Another connection's packets follow, with numbers of their own. */
  restart(): void {
    this.next = undefined;
  }

  /** Call it every 20 ms: ends the utterance of a microphone that sends nothing more. */
  onTick(nowMs: number): void {
    if (!this.isOpen || !this.segmenter.isHearing || nowMs - this.lastPacketMs < QUIET_AFTER_MS) return;
    this.segmenter.push(SILENT_FRAME, false);
  }

  /** Idempotent. */
  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.decoder.close();
    this.resampler.close();
    this.options.activity.close();
  }

  private fill(gap: number): void {
    const filled = Math.min(gap, this.budget);
    if (filled === 0) return;
    this.budget -= filled;
    this.take(new Float32Array(filled));
  }

  private decode(payload: Uint8Array): Float32Array {
    try {
      return this.decoder.decode(payload);
    } catch (error) {
      if (!(error instanceof AvError)) throw error;
      // A viewer's broken packet counts as a lost one.
      return new Float32Array(AUDIO_FRAME);
    }
  }

  private take(samples: Float32Array): void {
    const more = this.resampler.push(samples);
    const all = new Float32Array(this.rest.length + more.length);
    all.set(this.rest);
    all.set(more, this.rest.length);
    let at = 0;
    for (; at + SPEECH_FRAME <= all.length; at += SPEECH_FRAME) {
      const frame = toInt16(all.subarray(at, at + SPEECH_FRAME));
      this.segmenter.push(frame, this.options.activity.isSpeech(frame));
    }
    this.rest = all.slice(at);
  }
}

function toInt16(samples: Float32Array): Int16Array {
  return new Int16Array(samples.map((sample) => Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768)))));
}
