import { av, avc, checkAv, needsInput } from '../../encode/av.js';
import { SAMPLE_RATE } from '../../time.js';

/** Measures the level of consecutive Opus packets. The creator closes it. */
export class OpusLevel {
  private readonly context = new av.CodecContext();
  private readonly packet = new av.Packet();
  private readonly frame = new av.Frame();

  constructor() {
    const codec = av.Codec.findDecoder(avc.AV_CODEC_ID_OPUS);
    if (!codec) throw new Error('this build of FFmpeg does not decode Opus');
    this.context.allocContext3(codec);
    this.context.sampleRate = SAMPLE_RATE;
    this.context.channelLayout = avc.AV_CHANNEL_LAYOUT_MONO;
    checkAv(this.context.open2Sync(codec, null), 'opening the Opus decoder');
    this.packet.alloc();
    this.frame.alloc();
  }

  /** Greatest sample of the packet's sound, 0…1. */
  peakOf(payload: Uint8Array): number {
    this.packet.data = Buffer.from(payload);
    checkAv(this.context.sendPacketSync(this.packet), 'decoding Opus');
    let peak = 0;
    for (;;) {
      const code = this.context.receiveFrameSync(this.frame);
      if (needsInput(code)) return peak;
      checkAv(code, 'decoding Opus');
      const [plane] = this.frame.data ?? [];
      if (!plane) continue;
      const samples = new Float32Array(plane.buffer, plane.byteOffset, this.frame.nbSamples);
      for (const sample of samples) peak = Math.max(peak, Math.abs(sample));
      this.frame.unref();
    }
  }

  /** Idempotent. */
  close(): void {
    this.packet.free();
    this.frame.free();
    this.context.freeContext();
  }
}
