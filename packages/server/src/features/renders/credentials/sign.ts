import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import type { ContentCredentials } from '@figurehead/contract';
import type { Signer } from '@trustnxt/c2pa-ts/cose';
import type { ActionType, DigitalSourceType } from '@trustnxt/c2pa-ts/manifest';
import { programVersion } from '../../../kernel/version.js';
import { appendManifest, readMp4 } from './mp4-manifest.js';

const SOURCES = 'http://cv.iptc.org/newscodes/digitalsourcetype/';
const HASH = 'SHA-256';

/** What a manifest says about a file. */
export interface MadeFrom {
  readonly title: string;
  readonly source: ContentCredentials['source'];
  /** SHA-256 of the consent records of photographed presenters, hexadecimal. */
  readonly consents: readonly string[];
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

/** Adds a manifest to a JPEG picture. */
export async function signPicture(path: string, made: MadeFrom, signer: Signer): Promise<void> {
  const { DataHashAssertion } = await import('@trustnxt/c2pa-ts/manifest');
  const { JPEG } = await import('@trustnxt/c2pa-ts/asset');
  const { store, manifest } = await createManifest('image/jpeg', made, signer);
  const picture = new JPEG(new Uint8Array(await readFile(path)));
  const binding = DataHashAssertion.create(HASH);
  manifest.addAssertion(binding);
  await picture.ensureManifestSpace(store.measureSize());
  await binding.updateWithAsset(picture);
  await manifest.sign(signer);
  await picture.writeManifestJUMBF(store.getBytes());
  await writeFile(path, await picture.getDataRange());
}

async function createManifest(format: string, { title, source, consents }: MadeFrom, signer: Signer) {
  const { ActionAssertion, AssertionLabels, ClaimVersion, ManifestStore } = await import('@trustnxt/c2pa-ts/manifest');
  const store = new ManifestStore();
  const manifest = store.createManifest({
    ...{ claimVersion: ClaimVersion.V2, assetFormat: format, instanceID: `xmp:iid:${randomUUID()}`, signer },
    defaultHashAlgorithm: HASH,
  });
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
