import { open } from 'node:fs/promises';
import type { Asset } from '@trustnxt/c2pa-ts/asset';
import { readMp4 } from './mp4-manifest.js';
import { openAsset } from './sign.js';

/** What a file says about its origin, and whether that is true of its bytes. */
export interface Verified {
  /** `absent`: the file says nothing. `invalid`: it was changed, or its manifest was. */
  readonly state: 'valid' | 'invalid' | 'absent';
  readonly title?: string | undefined;
  /** Name and version of the software that made it. */
  readonly software?: string | undefined;
  /** Who issued the certificate that signed it; whether to trust it is for the reader to decide. */
  readonly signer?: string | undefined;
  readonly actions: readonly { readonly action: string; readonly source?: string | undefined }[];
  /** Codes of what is wrong (C2PA 2.1, 15.2). */
  readonly problems: readonly string[];
}

const ABSENT: Verified = { state: 'absent', actions: [], problems: [] };

/** Checks the content credentials of an MP4, JPEG, PNG, GIF, WebP or WAV file. Rejects for a file that cannot be read as one. */
export async function verifyFile(path: string): Promise<Verified> {
  const head = await headOf(path);
  if (head.toString('latin1', 4, 8) === 'ftyp') return verifyMp4(path);
  const asset = await openAsset(path);
  return verify(asset.getManifestJUMBF(), asset);
}

async function headOf(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const head = Buffer.alloc(64);
    await file.read(head, 0, head.length, 0);
    return head;
  } finally {
    await file.close();
  }
}

async function verifyMp4(path: string): Promise<Verified> {
  const { BMFFHashAssertion, ValidationResult, ValidationStatusCode } = await import('@trustnxt/c2pa-ts/manifest');
  const { hash, manifest } = await readMp4(path);
  return verify(manifest, { mimeType: 'video/mp4' } as Asset, (assertion) => {
    if (!(assertion instanceof BMFFHashAssertion)) return;
    // The library hashes a whole file in memory, and no MP4.
    assertion.validateAgainstAsset = async () =>
      assertion.hash !== undefined && Buffer.from(assertion.hash).equals(hash)
        ? ValidationResult.success(ValidationStatusCode.AssertionBMFFHashMatch, assertion.sourceBox)
        : ValidationResult.error(ValidationStatusCode.AssertionBMFFHashMismatch, assertion.sourceBox);
  });
}

async function verify(
  jumbf: Uint8Array | undefined,
  asset: Asset,
  prepare: (assertion: unknown) => void = () => undefined,
): Promise<Verified> {
  if (jumbf === undefined) return ABSENT;
  const { SuperBox } = await import('@trustnxt/c2pa-ts/jumbf');
  const { ActionAssertion, ManifestStore, ValidationResult } = await import('@trustnxt/c2pa-ts/manifest');
  try {
    const store = ManifestStore.read(SuperBox.fromBuffer(new Uint8Array(jumbf)));
    const manifest = store.getActiveManifest();
    const assertions = manifest?.assertions?.assertions ?? [];
    for (const assertion of assertions) prepare(assertion);
    const { isValid, statusEntries } = await store.validate(asset);
    const { claim, signature } = manifest ?? {};
    const actions = assertions.flatMap((each) => (each instanceof ActionAssertion ? each.actions : []));
    return {
      state: isValid ? 'valid' : 'invalid',
      title: claim?.title,
      software: claim && [claim.claimGeneratorName, claim.claimGeneratorVersion].filter(Boolean).join(' '),
      signer: signature?.signatureData.certificate?.issuer,
      actions: actions.map(({ action, digitalSourceType }) => ({ action, source: digitalSourceType })),
      problems: statusEntries.flatMap(({ code, success }) => (success === false ? code : [])),
    };
  } catch (error) {
    const { statusEntries } = ValidationResult.fromError(error instanceof Error ? error : new Error(String(error)));
    return { ...ABSENT, state: 'invalid', problems: statusEntries.map(({ code }) => code) };
  }
}
