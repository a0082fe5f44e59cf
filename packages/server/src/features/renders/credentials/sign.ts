import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import type { ContentCredentials } from '@figurehead/contract';
import type { RenderedFiles } from '@figurehead/media';
import type { Asset } from '@trustnxt/c2pa-ts/asset';
import type { Signer } from '@trustnxt/c2pa-ts/cose';
import type { ActionType, DigitalSourceType } from '@trustnxt/c2pa-ts/manifest';
import { programVersion } from '../../../kernel/version.js';
import { BlockFile } from './block-file.js';
import { appendManifest, readMp4 } from './mp4-manifest.js';

const SOURCES = 'http://cv.iptc.org/newscodes/digitalsourcetype/';
const HASH = 'SHA-256';
/** Space for a signature, the longest being of RSA with 4096 bits. The library's 25 kB are for time stamps too. */
const SIGNATURE_BYTES = 1000;

/** What a manifest says about a file. */
export interface MadeFrom {
  readonly title: string;
  readonly source: ContentCredentials['source'];
  /** SHA-256 of the consent records of photographed presenters, hexadecimal. */
  readonly consents: readonly string[];
}

/**
 * Adds manifests to a film and its pictures.
 * @returns what they say; `undefined` for a WebM film, which holds a tag instead.
 */
export async function signRendered(
  {
    video,
    thumbnailJpeg,
    thumbnailWebp,
    gif,
  }: Pick<RenderedFiles, 'video' | 'thumbnailJpeg' | 'thumbnailWebp' | 'gif'>,
  made: MadeFrom,
  signer: Signer,
): Promise<ContentCredentials | undefined> {
  for (const picture of [thumbnailJpeg, thumbnailWebp, gif]) {
    if (picture !== undefined) await signFile(picture, made, signer);
  }
  if (video.endsWith('.webm')) return undefined;
  await signFilm(video, made, signer);
  return { source: made.source, signer: signer.certificate.issuer };
}

/** Adds a manifest to an MP4 film (C2PA 2.1). */
export async function signFilm(path: string, made: MadeFrom, signer: Signer): Promise<void> {
  const { BMFFHashAssertion } = await import('@trustnxt/c2pa-ts/manifest');
  const { store, manifest } = await createManifest('video/mp4', made, signer);
  const binding = BMFFHashAssertion.createV2('content', HASH);
  binding.hash = (await readMp4(path)).hash;
  manifest.addAssertion(binding);
  await manifest.sign(signer);
  await appendManifest(path, store.getBytes());
}

/** Adds a manifest to a JPEG, GIF, WebP or WAV file, which is read into memory. Rejects for another kind of file. */
export async function signFile(path: string, made: MadeFrom, signer: Signer): Promise<void> {
  const { DataHashAssertion } = await import('@trustnxt/c2pa-ts/manifest');
  const file = await openAsset(path);
  const { store, manifest } = await createManifest(file.mimeType, made, signer);
  const binding = DataHashAssertion.create(HASH);
  manifest.addAssertion(binding);
  await file.ensureManifestSpace(store.measureSize());
  await binding.updateWithAsset(file);
  await manifest.sign(signer);
  await file.writeManifestJUMBF(store.getBytes());
  await writeFile(path, await file.getDataRange());
}

/** Opens a file that holds its manifest in one place. Rejects with a `RangeError` for other kinds of files. */
export async function openAsset(path: string): Promise<Asset> {
  const { JPEG, PNG } = await import('@trustnxt/c2pa-ts/asset');
  const bytes = new Uint8Array(await readFile(path));
  const kind = [JPEG, PNG, BlockFile].find((each) => each.canRead(bytes));
  if (kind === undefined) throw new RangeError(`expected an MP4, JPEG, PNG, GIF, WebP or WAV file, got ${path}`);
  return new kind(bytes);
}

async function createManifest(format: string, { title, source, consents }: MadeFrom, signer: Signer) {
  const { ActionAssertion, AssertionLabels, ClaimVersion, ManifestStore } = await import('@trustnxt/c2pa-ts/manifest');
  const store = new ManifestStore();
  const manifest = store.createManifest({
    ...{ claimVersion: ClaimVersion.V2, assetFormat: format, instanceID: `xmp:iid:${randomUUID()}`, signer },
    defaultHashAlgorithm: HASH,
  });
  if (manifest.signature !== undefined) manifest.signature.signatureData.paddingLength = SIGNATURE_BYTES;
  const software = { name: 'Figurehead', version: programVersion() };
  if (manifest.claim !== undefined) {
    manifest.claim.title = title;
    manifest.claim.claimGeneratorName = software.name;
    manifest.claim.claimGeneratorVersion = software.version;
  }
  const actions = new ActionAssertion();
  actions.label = AssertionLabels.actionsV2;
  actions.actions = [
    {
      action: 'c2pa.created' as ActionType,
      digitalSourceType: `${SOURCES}${source}` as DigitalSourceType,
      softwareAgent: software,
      ...(consents.length > 0 && { parameters: { 'org.figurehead.consents': consents } }),
    },
  ];
  manifest.addAssertion(actions);
  return { store, manifest };
}
