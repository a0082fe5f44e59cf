import type {
  Assets,
  ByteStore,
  Fonts,
  PackSource,
  PresenterPack,
  SegmentCache,
  Speech,
  ThreadKeeper,
} from '@figurehead/media';

import type { MediaKind } from './preview-messages.js';

/** A voice that this server can speak with, and how the workspace wants it spoken. */
export interface ResolvedVoice {
  readonly provider: Parameters<Speech['utter']>[0];
  readonly voice: string;
  readonly locale: string;
  readonly speed?: number;
  readonly stability?: number;
  /** How the workspace says words, by their spelling in lower case. */
  readonly pronunciations?: Readonly<Record<string, string>>;
}

/** What a slide asks for; absent fields take the server's defaults. */
export interface VoiceWish {
  readonly workspaceId: string;
  readonly voice: string | null;
  readonly provider: string | null;
  readonly language: string | null;
}

/** What the pipeline is put together from. */
export interface PipelineParts {
  readonly speech: Speech;
  readonly fonts: (workspaceId: string) => Promise<Fonts>;
  /** Rejects with {@link RenderProblem} or `SpeechError` when there is no such voice. */
  readonly resolveVoice: (wish: VoiceWish) => Promise<ResolvedVoice>;
  /** Rejects when there is no presenter of this code; the message is for people. */
  readonly resolvePack: (workspaceId: string, code: string) => Promise<PackSource>;
  /** Media named by the document; `folder` takes what has to lie on disk. */
  readonly assets: (workspaceId: string, folder: string, signal: AbortSignal) => Assets;
  readonly cache?: (workspaceId: string) => Promise<SegmentCache>;
  /** Drawn slides and speech that are kept between renders. */
  readonly kept?: (workspaceId: string) => Promise<{ readonly drawings: ByteStore; readonly speech: ByteStore }>;
  /** Reads presenter packs; one for the whole process, see `keepPacks`. Read once a render when absent. */
  readonly loadPack?: (folder: string) => Promise<PresenterPack>;
  /** Keeps drawing threads between renders; one for the whole process. Started for each render when absent. */
  readonly threadKeeper?: ThreadKeeper;
  /** H.264 is encoded on the graphics card. */
  readonly nvenc?: boolean;
  /** Opens a medium in a process of its own, for dry runs; rejects with what is wrong with it. In this process when absent. */
  readonly inspect?: (
    what: MediaKind,
    src: string,
    context: { readonly workspaceId: string; readonly assets: Assets; readonly signal: AbortSignal },
  ) => Promise<void>;
  /** Threads that draw and encode; all processors when absent. */
  readonly threads?: number;
}
