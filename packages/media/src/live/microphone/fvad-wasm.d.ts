declare module '@echogarden/fvad-wasm' {
  /** libfvad (WebRTC's voice activity detector) compiled by Emscripten; pointers are byte offsets of `HEAP16`. */
  export interface Fvad {
    readonly HEAP16: Int16Array;
    _malloc(bytes: number): number;
    _free(pointer: number): void;
    _fvad_new(): number;
    _fvad_free(detector: number): void;
    _fvad_set_mode(detector: number, mode: number): number;
    _fvad_set_sample_rate(detector: number, rate: number): number;
    /** 1: speech, 0: none, −1: a frame of another length. */
    _fvad_process(detector: number, frame: number, samples: number): number;
  }
  export default function load(): Promise<Fvad>;
}
