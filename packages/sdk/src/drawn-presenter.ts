import type { FaceMessage, Stream } from '@figurehead/contract';

/** The module that the server serves for pages that draw a presenter: `openViewer` in `packages/presenter/src/viewer`. */
interface ViewerModule {
  openViewer(options: object): Promise<Viewer>;
}
interface Viewer {
  receive(message: FaceMessage, sound: RTCRtpReceiver | undefined): void;
  close(): void;
}

/** What is drawn, and where. */
export interface DrawnPresenterOptions {
  readonly files: NonNullable<Stream['drawing']>;
  readonly canvas: HTMLCanvasElement;
  readonly width: number;
  readonly height: number;
  readonly background: string;
  /** Also draws where WebGL is emulated. */
  readonly evenIfSlow: boolean;
  /** It cannot be drawn here, or too slowly: why. */
  readonly onUnable: (reason: string) => void;
}

/** The smallest WebAssembly module with a vector. */
const SIMD = [
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
];

/** True where a page draws a presenter faster than it decodes video: WebAssembly with SIMD, and WebGL by a graphics card. */
export function canDrawPresenter(): boolean {
  if (typeof WebAssembly === 'undefined' || !WebAssembly.validate(new Uint8Array(SIMD))) return false;
  const canvas = document.createElement('canvas');
  return canvas.getContext('webgl', { failIfMajorPerformanceCaveat: true }) !== null;
}

/** The presenter of a stream, drawn in the page. Its code comes from the server, so that both have the same version. The creator closes it. */
export class DrawnPresenter {
  readonly #viewer: Promise<Viewer | undefined>;

  constructor({ files, onUnable, ...options }: DrawnPresenterOptions) {
    const { module, pack, kernel } = files;
    const open = async (): Promise<Viewer> => {
      const { openViewer } = (await import(/* @vite-ignore */ module)) as ViewerModule;
      return openViewer({ ...options, pack, kernel, onSlow: () => onUnable('this page draws too slowly') });
    };
    this.#viewer = open().catch((error: unknown) => {
      onUnable(error instanceof Error ? error.message : String(error));
      return undefined;
    });
  }

  /** Takes a message of the stream. @param sound receiver of the sound of the same connection. */
  receive(message: FaceMessage, sound: RTCRtpReceiver | undefined): void {
    void this.#viewer.then((viewer) => viewer?.receive(message, sound));
  }

  close(): void {
    void this.#viewer.then((viewer) => viewer?.close());
  }
}
