import { type Pcm, silence } from '../../audio.js';
import { LiveAudioEncoder, type SoundCoding } from '../video/encoders.js';
import { AUDIO_FRAME } from './media-clock.js';

/** After this many packets of silence the encoder's packets no longer change, so one of them can be sent again. */
const SILENT_AFTER = 25;
/**
 * Packets of silence (10 s) after speech before discontinuous transmission starts. Players synchronise picture and sound while they decode
 * sound, by a few milliseconds per second; they keep the offset they have reached.
 */
const DISCONTINUOUS_AFTER = 500;
/** Packets per comfort packet in discontinuous transmission (400 ms, as in libopus). */
const COMFORT_EVERY = 20;
/** Packet loss from which forward error correction is worth its cost, and below which it ends. */
const LOSSY = 0.02;
const CLEAN = 0.005;
/** Packets of speech (5 s) after which a better coding is used that has been possible all the time. */
const BETTER_AFTER = 250;

/** What the sound's coding depends on. */
export interface SoundLink {
  /** Bits per second of Opus. */
  readonly bits: number;
  /** Share of packets that the peer misses, 0…1. */
  readonly loss: number;
  /** The packets are repeated (RFC 2198), so the coding need not correct errors. */
  readonly repeats: boolean;
}

/**
 * Encodes the playout queue as Opus, one packet every 20 ms while there is sound. Long silence is sent discontinuously (RFC 6716
 * section 2.1.9): one byte every 400 ms. So is the silence before the first speech: Firefox opens the sound device for half a second and more, and plays
 * everything that it gets meanwhile, so that the first speech would wait behind as much silence. The creator closes it.
 */
export class AudioSource {
  private encoder: LiveAudioEncoder;
  private readonly samples: Pcm = silence(AUDIO_FRAME);
  private silent = 0;
  private hasSounded = false;
  private silencePacket: Uint8Array | undefined;
  private wanted: SoundCoding;
  /** Packets since a better coding became possible. */
  private better = 0;

  /**
   * @param pull writes the next samples and returns whether they contain speech.
   * @param link as it is at first. Without repetition the first speech is sent with error correction, because no loss is known yet.
   */
  constructor(
    private readonly pull: (out: Pcm) => boolean,
    { bits, repeats }: Omit<SoundLink, 'loss'>,
  ) {
    this.wanted = { bits, mode: repeats ? 'clear' : 'repairable' };
    this.encoder = new LiveAudioEncoder(this.wanted);
  }

  /** Transmission is discontinuous, because silence has lasted for 10 s. */
  get isDiscontinuous(): boolean {
    return this.silent >= DISCONTINUOUS_AFTER;
  }

  /** Packets from the next one on that are not sent unless there is speech. */
  get idlePackets(): number {
    const sent = this.silent - (this.hasSounded ? DISCONTINUOUS_AFTER : 1);
    return this.isDiscontinuous ? COMFORT_EVERY - 1 - (sent % COMFORT_EVERY) : 0;
  }

  /** The next packet, `undefined` when none is due; `marker` when sound starts after silence. */
  next(): { payload: Uint8Array; marker: boolean } | undefined {
    if (this.isCodingDue()) this.switchEncoder();
    const sounds = this.pull(this.samples);
    const marker = sounds && this.silent > 0;
    this.silent = sounds ? 0 : this.silent + 1;
    this.hasSounded ||= sounds;
    if (!this.hasSounded) this.silencePacket ??= this.encoder.encode(this.samples);
    if ((this.silent > SILENT_AFTER || !this.hasSounded) && this.silencePacket)
      return this.nextSilence(this.silencePacket);
    const payload = this.encoder.encode(this.samples);
    this.silencePacket = this.silent >= SILENT_AFTER ? payload : undefined;
    return { payload, marker };
  }

  /**
   * Sets how sound is encoded: at once where the connection needs it. What sounds better waits for silence, or until it has been possible for some
   * seconds, so that the coding does not alternate.
   */
  setLink({ bits, loss, repeats }: SoundLink): void {
    const isLossy = !repeats && (loss > LOSSY || (loss >= CLEAN && this.wanted.mode === 'repairable'));
    this.wanted = { bits, mode: isLossy ? 'repairable' : 'clear' };
  }

  /** Idempotent. */
  close(): void {
    this.encoder.close();
  }

  private nextSilence(quiet: Uint8Array): { payload: Uint8Array; marker: boolean } | undefined {
    const discontinuous = this.silent - (this.hasSounded ? DISCONTINUOUS_AFTER : 1);
    if (discontinuous < 0) return { payload: quiet, marker: false };
    if (discontinuous % COMFORT_EVERY > 0) return undefined;
    // The table-of-contents byte without frames: same mode and length, no content.
    return { payload: Uint8Array.of(quiet[0]! & 0xfc), marker: false };
  }

  private isCodingDue(): boolean {
    const { bits, mode } = this.encoder.coding;
    const { wanted } = this;
    if (wanted.bits === bits && wanted.mode === mode) {
      this.better = 0;
      return false;
    }
    const isUrgent = wanted.bits < bits || (wanted.mode === 'repairable' && mode === 'clear');
    return isUrgent || this.silent > SILENT_AFTER || ++this.better > BETTER_AFTER;
  }

  private switchEncoder(): void {
    this.better = 0;
    this.encoder.close();
    this.encoder = new LiveAudioEncoder(this.wanted);
    // The encoder begins with the sound that the player has, so that the switch makes no gap.
    this.encoder.encode(this.samples);
    this.silencePacket = undefined;
  }
}
