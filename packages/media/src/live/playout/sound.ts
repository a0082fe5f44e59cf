import { type Pcm, silence } from '../../audio.js';
import { type AudioManner, type LiveAudioEncoder, openAudioEncoder } from '../video/encoders.js';
import { AUDIO_FRAME } from './pacer.js';

/** After so many packets of silence the encoder has nothing left of the speech before: its packets repeat themselves. */
const SETTLED = 25;
/**
 * Silence is sent packet by packet for this long (10 s), then only hinted at. Players bring picture and sound together while they decode
 * sound, a few milliseconds a second; what they have reached stays as it is through the hints.
 */
const HINTED_FROM = 500;
/** A hint goes out once every so many packets (400 ms, as libopus itself does it). */
const HINT_EVERY = 20;
/** Loss from which repair is worth its work, and below which it no longer is. */
const LOSSY = 0.02;
const CLEAN = 0.005;

/**
 * Turns the playout queue into Opus packets, one each 20 ms while there is sound. Long silence is discontinuous (RFC 6716 section 2.1.9):
 * a packet of its first byte alone, every 400 ms. Who makes it closes it.
 */
export class Sound {
  private encoder: LiveAudioEncoder = openAudioEncoder('clear');
  private readonly samples: Pcm = silence(AUDIO_FRAME);
  private silent = 0;
  private quiet: Uint8Array | undefined;
  private manner: AudioManner = 'clear';

  /** `pull` writes the next samples and says whether there is speech in them. */
  constructor(private readonly pull: (out: Pcm) => boolean) {}

  /** Silence has lasted for so long that it is only hinted at. */
  get isHinting(): boolean {
    return this.silent >= HINTED_FROM;
  }

  /** The next packet, `undefined` when nothing is to be sent now; `marker` when sound begins after silence. */
  next(): { payload: Uint8Array; marker: boolean } | undefined {
    const sounds = this.pull(this.samples);
    const marker = sounds && this.silent > 0;
    this.silent = sounds ? 0 : this.silent + 1;
    if (this.silent > SETTLED && this.quiet) return this.repeatSilence(this.quiet);
    const payload = this.encoder.encode(this.samples);
    this.quiet = this.silent >= SETTLED ? payload : undefined;
    return { payload, marker };
  }

  /** Share of packets that the peer misses, 0…1: decides how the next speech is encoded. */
  setLoss(share: number): void {
    if (share > LOSSY) this.manner = 'repairable';
    else if (share < CLEAN) this.manner = 'clear';
  }

  /** Idempotent. */
  close(): void {
    this.encoder.close();
  }

  private repeatSilence(quiet: Uint8Array): { payload: Uint8Array; marker: boolean } | undefined {
    // An encoder is changed where nobody hears it.
    if (this.encoder.manner !== this.manner) {
      this.encoder.close();
      this.encoder = openAudioEncoder(this.manner);
      this.quiet = undefined;
    }
    if (this.silent < HINTED_FROM) return { payload: quiet, marker: false };
    if ((this.silent - HINTED_FROM) % HINT_EVERY > 0) return undefined;
    // The first byte without frames: same mode and length, nothing in it.
    return { payload: Uint8Array.of(quiet[0]! & 0xfc), marker: false };
  }
}
