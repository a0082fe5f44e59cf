import type { SherpaModel, SherpaPackage } from '@figurehead/media';
import { OperatorError } from '../../../kernel/operator-error.js';
import { openUrl } from './download.js';

/** Response of an address of the catalogue. */
interface CheckedAddress {
  readonly name: string;
  readonly url: string;
  /** Absent when it has a file of the size in the catalogue. */
  readonly problem?: string;
}

/** Requests the file size from every address of the archives, without a download. */
export async function checkAddresses(items: readonly (SherpaPackage | SherpaModel)[]): Promise<CheckedAddress[]> {
  const archives = items.flatMap((item) =>
    [item.archive, ...(('more' in item && item.more) || [])].map((archive) => ({ name: item.name, archive })),
  );
  const checks = archives.flatMap(({ name, archive }) =>
    archive.urls.map(async (url): Promise<CheckedAddress> => {
      const problem = await problemOf(url, archive.bytes);
      return problem === undefined ? { name, url } : { name, url, problem };
    }),
  );
  return Promise.all(checks);
}

async function problemOf(url: string, bytes: number): Promise<string | undefined> {
  let size: number | undefined;
  try {
    await openUrl(url, { method: 'HEAD' }, async (response) => {
      size = Number(response.headers.get('content-length') ?? Number.NaN);
    });
  } catch (error) {
    if (error instanceof OperatorError) return error.message;
    throw error;
  }
  return size === bytes ? undefined : `has ${size} bytes, expected ${bytes}`;
}
