import type { ContentCredentials } from '@figurehead/contract';
import { parseDocument, type RenderedFiles } from '@figurehead/media';
import type { Signer } from '@trustnxt/c2pa-ts/cose';
import type { Kernel } from '../../../kernel/contract.js';
import type { FrozenVideo } from '../contract.js';
import { mediaOf } from '../media-check.js';
import { operatorsIdentity, signerOf } from './certificate.js';
import { type MadeFrom, signFilm, signPicture } from './sign.js';

/** Marks finished films as made by a machine (C2PA). */
export interface Credentials {
  /** Adds manifests to the film and its picture. @returns what they say; `undefined` for a WebM film, which holds a tag instead. */
  sign(video: FrozenVideo, files: RenderedFiles): Promise<ContentCredentials | undefined>;
}

/** @param consentsOf hashes of the consents to presenters made of photographs and films, by their codes. */
export async function createCredentials(
  { config, db }: Pick<Kernel, 'config' | 'db'>,
  consentsOf: (workspaceId: string, codes: readonly string[]) => Promise<string[]>,
): Promise<Credentials> {
  await operatorsIdentity(config);
  let signing: Promise<Signer> | undefined;
  return {
    async sign(video, files) {
      signing ??= signerOf(config, db);
      signing.catch(() => {
        signing = undefined;
      });
      const signer = await signing;
      const { document } = parseDocument(video);
      const codes = document.slides.flatMap(({ avatar }) => avatar ?? []);
      const consents = await consentsOf(video.workspaceId, codes);
      const isOurs = consents.length === 0 && mediaOf(document).length === 0;
      const source = isOurs ? 'trainedAlgorithmicMedia' : 'compositeWithTrainedAlgorithmicMedia';
      const made: MadeFrom = { title: video.name, source, consents };
      await signPicture(files.thumbnailJpeg, made, signer);
      if (files.video.endsWith('.webm')) return undefined;
      await signFilm(files.video, made, signer);
      return { source, signer: signer.certificate.issuer };
    },
  };
}
