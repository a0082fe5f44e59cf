import type { ContentCredentials } from '@figurehead/contract';
import { parseDocument, type RenderedFiles } from '@figurehead/media';
import type { Signer } from '@trustnxt/c2pa-ts/cose';
import type { Kernel } from '../../../kernel/contract.js';
import { sharedSetting } from '../../../kernel/settings.js';
import type { FrozenVideo } from '../contract.js';
import { sourceOf } from '../media-check.js';
import { createSigner, issue, operatorsIdentity } from './certificate.js';
import { signFilm, signRendered } from './sign.js';

/** What is known of the recording of a live stream. */
interface RecordedStream {
  readonly workspaceId: string;
  readonly title: string;
  /** Code of its presenter. */
  readonly presenter: string;
  /** Whether it has sound that was sent to it, not only speech of texts. */
  readonly hasForeignSound: boolean;
}

/** Marks finished films as made by a machine (C2PA). */
export interface Credentials {
  /** Adds a manifest to the recording of a live stream; nothing to a WebM file, which holds a tag instead. */
  signRecording(path: string, stream: RecordedStream): Promise<void>;
  /** Adds manifests to the film and its picture. @returns what they say; `undefined` for a WebM film, which holds a tag instead. */
  sign(video: FrozenVideo, files: RenderedFiles): Promise<ContentCredentials | undefined>;
}

/** What is known of presenters. */
interface Presenters {
  /** Whether a code is that of a presenter that comes with the program, made without a real person. */
  isBuiltIn(code: string): boolean;
  /** Hashes of the consents to presenters made of photographs and films, by their codes. */
  consentsOf(workspaceId: string, codes: readonly string[]): Promise<string[]>;
}

/** Makes the installation's certificate at its first start. Throws an `OperatorError` for one of the operator's that cannot sign. */
export async function createCredentials(
  { config, db }: Pick<Kernel, 'config' | 'db'>,
  presenters: Presenters,
): Promise<Credentials> {
  const signer = await signerOf({ config, db });
  return {
    async sign(video, files) {
      const { document } = parseDocument(video);
      const codes = document.slides.flatMap(({ avatar }) => avatar ?? []);
      const consents = await presenters.consentsOf(video.workspaceId, codes);
      const source = sourceOf(document, presenters.isBuiltIn);
      return signRendered(files, { title: video.name, source, consents }, signer);
    },
    async signRecording(path, { workspaceId, title, presenter, hasForeignSound }) {
      const consents = await presenters.consentsOf(workspaceId, [presenter]);
      const isOurs = presenters.isBuiltIn(presenter) && !hasForeignSound;
      const source = isOurs ? 'trainedAlgorithmicMedia' : 'compositeWithTrainedAlgorithmicMedia';
      if (path.endsWith('.mp4')) await signFilm(path, { title, source, consents }, signer);
    },
  };
}

/** The operator's certificate, or one that the installation issued itself and that all its processes share. */
async function signerOf({ config, db }: Pick<Kernel, 'config' | 'db'>): Promise<Signer> {
  const own = await operatorsIdentity(config);
  return createSigner(own ?? (await sharedSetting(db, 'credentials', () => issue(new URL(config.url).hostname))));
}
