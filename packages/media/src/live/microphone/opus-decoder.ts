import { SAMPLE_RATE } from '@figurehead/presenter/time';
import { concatPcm, type Pcm } from '../../audio.js';
import { av, avc, checkAv, needsInput } from '../../encode/av.js';

/** Decodes the Opus packets of one stream on the calling thread, 0.05 ms each. The creator closes it. */
export class OpusDecoder {
  private readonly context = new av.CodecContext();
  private readonly packet = new av.Packet();
  private readonly frame = new av.Frame();
  private isOpen = true;

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

  /** The sound of a packet, mono at {@link SAMPLE_RATE}. Throws an `AvError` for bytes that are not Opus; later packets are decoded. */
  decode(payload: Uint8Array): Pcm {
    this.packet.data = Buffer.from(payload);
    checkAv(this.context.sendPacketSync(this.packet), 'decoding Opus');
    const parts: Pcm[] = [];
    for (;;) {
      const code = this.context.receiveFrameSync(this.frame);
      if (needsInput(code)) break;
      checkAv(code, 'decoding Opus');
      const [plane] = this.frame.data ?? [];
      if (plane) parts.push(new Float32Array(plane.buffer, plane.byteOffset, this.frame.nbSamples).slice());
      this.frame.unref();
    }
    return concatPcm(parts);
  }

  /** Idempotent. */
  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.packet.free();
    this.frame.free();
    this.context.freeContext();
  }
}
