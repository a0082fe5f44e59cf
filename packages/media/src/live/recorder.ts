import { join } from 'node:path';
import type { Cue } from '../encode/contract.js';
import { LiveFile } from '../encode/index.js';
import type { LiveEvent, Recording } from './contract.js';
import { AUDIO_FRAME } from './playout/media-clock.js';
import type { VideoCodec } from './video/encoders.js';

/** Maximum characters of a caption. */
const CUE_LENGTH = 72;

/** What is recorded and where. */
export interface RecorderOptions {
  readonly folder: string;
  readonly codec: VideoCodec;
  readonly width: number;
  readonly height: number;
}

/** Records the packets and words of a session. The first error ends the recording and is thrown by `finish`; the session continues. */
export class Recorder {
  private readonly file: LiveFile;
  private readonly path: string;
  private readonly cues: { start: number; end: number; text: string; words: Cue['words'][number][]; id: string }[] = [];
  private failure: unknown;
  /** First byte of the last packet: mode and length of frames, for the packets that discontinuous transmission leaves out. */
  private mode = 0;

  constructor(private readonly options: RecorderOptions) {
    this.path = join(options.folder, options.codec === 'H264' ? 'recording.mp4' : 'recording.webm');
    this.file = new LiveFile({ ...options, path: this.path });
  }

  onPicture(picture: { data: Uint8Array; keyframe: boolean }, sample: number): void {
    this.attempt(() => this.file.writePicture(picture, sample));
  }

  /** Called for each audio frame; without a packet when none is sent. */
  onSound(packet: Uint8Array | undefined, sample: number): void {
    if (packet) this.mode = packet[0] ?? 0;
    // A packet of one byte means silence of the same length (RFC 6716 section 3.2.1).
    this.attempt(() => this.file.writeSound(packet ?? Uint8Array.of(this.mode & 0xfc), sample, AUDIO_FRAME));
  }

  onEvent(event: LiveEvent): void {
    if (event.type === 'speech.interrupted') this.cut(event.id, event.at / 1000);
    if (event.type !== 'speech.word') return;
    const word = { text: event.text, start: event.start / 1000, end: event.end / 1000 };
    const last = this.cues.at(-1);
    if (last?.id !== event.id || last.text.length + word.text.length > CUE_LENGTH) {
      this.cues.push({ start: word.start, end: word.end, text: word.text, words: [word], id: event.id });
      return;
    }
    last.text = `${last.text} ${word.text}`;
    last.end = word.end;
    last.words.push(word);
  }

  /** Completes the file. Returns `undefined` when nothing was sent. Throws the error that ended the recording, after removing the file. */
  async finish(): Promise<Recording | undefined> {
    if (this.failure !== undefined) {
      await this.file.discard();
      throw this.failure;
    }
    const { seconds, bytes } = await this.file.finish();
    if (bytes === 0) return undefined;
    const { codec, width, height } = this.options;
    return {
      path: this.path,
      contentType: codec === 'H264' ? 'video/mp4' : 'video/webm',
      seconds,
      bytes,
      width,
      height,
      cues: this.cues.map(({ id: _id, ...cue }) => cue),
    };
  }

  /** Removes words after an interruption: they are reported up to one packet before their sound. */
  private cut(id: string, at: number): void {
    const last = this.cues.at(-1);
    if (last?.id === id) last.end = Math.max(last.start, Math.min(last.end, at));
  }

  private attempt(write: () => void): void {
    if (this.failure !== undefined) return;
    try {
      write();
    } catch (error) {
      this.failure = error;
    }
  }
}
