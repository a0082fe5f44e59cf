import { av, avc, checkAv } from '../av.js';

/**
 * Makes whole pictures of those whose rows in turn are two fields, from moments 1/50 s apart. Each is made only of its own fields, so that any
 * picture can follow any other. The caller closes it.
 */
export class Deinterlacer {
  #graph: av.FilterGraph | undefined;
  #source: av.FilterContext | undefined;
  #sink: av.FilterContext | undefined;
  #kind = '';
  #pts = 0n;
  readonly #whole = new av.Frame();

  constructor() {
    this.#whole.alloc();
  }

  /** The whole picture, valid until the next call. @throws when libavfilter refuses the picture. */
  whole(frame: av.Frame): av.Frame {
    const kind = `${frame.width}x${frame.height}:pix_fmt=${frame.format}`;
    if (kind !== this.#kind) this.#open(kind);
    // The filter answers with the picture before the one that it gets.
    for (const _ of [1, 2]) {
      frame.pts = this.#pts++;
      checkAv(this.#source!.buffersrcAddFrameSync(frame, avc.AV_BUFFERSRC_FLAG_KEEP_REF), 'deinterlacing a picture');
    }
    for (;;) {
      const next = new av.Frame();
      next.alloc();
      const code = this.#sink!.buffersinkGetFrameSync(next);
      if (code >= 0) {
        this.#whole.unref();
        checkAv(this.#whole.ref(next), 'keeping a picture');
      }
      next.free();
      if (code >= 0) continue;
      this.#whole.colorSpace = frame.colorSpace;
      this.#whole.colorRange = frame.colorRange;
      return this.#whole;
    }
  }

  close(): void {
    this.#graph?.free();
    this.#whole.free();
  }

  #open(kind: string): void {
    this.#graph?.free();
    const graph = new av.FilterGraph();
    graph.alloc();
    const filter = (name: string, args?: string): av.FilterContext => {
      const made = graph.createFilter(av.Filter.getByName(name)!, name, args ?? null);
      if (made === null) throw new Error(`expected the filter ${name} in libavfilter`);
      return made;
    };
    this.#source = filter('buffer', `video_size=${kind}:time_base=1/25`);
    const whole = filter('estdif', 'mode=frame:deint=interlaced');
    this.#sink = filter('buffersink');
    checkAv(this.#source.link(0, whole, 0), 'linking filters');
    checkAv(whole.link(0, this.#sink, 0), 'linking filters');
    checkAv(graph.configSync(), 'deinterlacing');
    this.#graph = graph;
    this.#kind = kind;
  }
}
