import { type Pcm, silence } from '../audio.js';
import { type LiveAudioEncoder, openAudioEncoder } from './encoders.js';
import { AUDIO_FRAME } from './pacer.js';

/** After so many packets of silence the encoder has nothing left of the speech before: its packets repeat themselves. */
const SETTLED = 25;

/** Turns the playout queue into Opus packets, one each 20 ms. Who makes it closes it. */
export class Sound {
  private readonly encoder: LiveAudioEncoder = openAudioEncoder();
  private readonly samples: Pcm = silence(AUDIO_FRAME);
  private silent = 0;
  private quiet: Uint8Array | undefined;

  /** `pull` writes the next samples and says whether there is speech in them. */
  constructor(private readonly pull: (out: Pcm) => boolean) {}

  /** The next packet; `marker` when sound begins after silence. */
  next(): { payload: Uint8Array; marker: boolean } {
    const sounds = this.pull(this.samples);
    const marker = sounds && this.silent > 0;
    this.silent = sounds ? 0 : this.silent + 1;
    // Silence is most of a stream's life: the same packet again saves the encoder's work.
    if (this.silent > SETTLED && this.quiet) return { payload: this.quiet, marker: false };
    const payload = this.encoder.encode(this.samples);
    this.quiet = this.silent === SETTLED ? payload : this.silent > SETTLED ? payload : undefined;
    return { payload, marker };
  }

  /** Idempotent. */
  close(): void {
    this.encoder.close();
  }
}
