import { readFile, rm } from 'node:fs/promises';
import type { Avatar, PhotoAvatarInput } from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import { ApiError, invalidFields, requireOwn } from '../../kernel/errors.js';
import type { Caller } from '../../kernel/http/contract.js';
import { requireDiskSpace } from '../../kernel/storage/disk-space.js';
import { loadMedia } from '../library/index.js';
import { consentOf } from '../workspaces/index.js';
import { PICTURES, type PictureKind } from './catalogue.js';
import { PHOTO_QUEUE, type PhotoAvatarJob } from './photo-jobs.js';
import { deleteFootage, openPhotoPacks, photoPrefix } from './photo-packs.js';
import * as store from './photo-store.js';
import { portraitBytes } from './portrait-upload.js';

// States of a photo avatar:
//
//   processing ──a worker has made its pack──▶ ready
//        └───────the portrait cannot be used──▶ error
//
// Deleted in any state: the row first, then its objects. A worker that finds the row gone stores nothing.

/** Photo avatars that a workspace may have: each takes about 1.5 MB. */
const MAX_AVATARS = 100;

/** Validity of links to its pictures, seconds: a day, for a page that stays open. */
const LINK_SECONDS = 24 * 3600;
/** Validity of links to a pack, which a page loads at once. */
const PACK_LINK_SECONDS = 600;

/** Stored with an avatar without a consent text: the sender of a portrait is responsible for it. */
const API_CONSENT =
  'By sending this portrait through the API its sender states that the person shown agreed to be made a presenter.';

/** Added to the consent of a person whose presenter viewers may draw. */
const VIEWER_CONSENT =
  'Pages that show the presenter may have the pictures it is drawn from, which can be kept and made to say anything: the person shown agreed to this too.';

const VOICES: Readonly<Record<store.PhotoAvatarRow['gender'], string>> = { male: 'rms', female: 'slt', other: 'slt' };

/**
 * Accepts a portrait or a film: stores it with the consent and queues a job that creates the presenter. Throws a 400 for
 * an invalid one.
 */
export async function createPhotoAvatar(kernel: Kernel, caller: Caller, input: PhotoAvatarInput): Promise<Avatar> {
  const portrait = await sourceOf(kernel, caller, input);
  checkPoints(input);
  const consent = await consentOf(kernel, caller, input.consent, {
    missing: 'is missing: state how the person in the picture agreed',
    byToken: API_CONSENT,
  });
  const { drawnByViewers = false } = input;
  const now = new Date(kernel.clock.now());
  const row: store.PhotoAvatarRow = {
    id: kernel.ids.next(),
    workspaceId: caller.workspace.id,
    name: input.name,
    gender: input.gender,
    status: 'processing',
    error: null,
    points: input.points ?? null,
    footageId: input.footage?.mediaId ?? null,
    background: input.background ?? null,
    version: null,
    consentStatement: drawnByViewers ? `${consent.statement} ${VIEWER_CONSENT}` : consent.statement,
    consentGivenBy: consent.givenBy,
    consentGivenAt: now,
    drawnByViewers,
    createdAt: now,
    updatedAt: now,
  };
  if (portrait !== undefined) {
    await requireDiskSpace(kernel, portrait.length);
    // Never linked: only the worker reads it, and removes it when the presenter is finished.
    await kernel.objects.put(`${photoPrefix(row)}portrait`, portrait, 'application/octet-stream');
  }
  try {
    await kernel.transaction(async (tx) => {
      if ((await store.photoAvatars.count(tx, row.workspaceId)) >= MAX_AVATARS) {
        throw new ApiError('invalid', {
          reason: `A workspace may have ${MAX_AVATARS} photo avatars. Delete one that is no longer used.`,
        });
      }
      await store.photoAvatars.insert(tx, row);
      await kernel.queue.enqueue<PhotoAvatarJob>(tx, PHOTO_QUEUE, { avatarId: row.id });
    });
  } catch (error) {
    await kernel.objects.deletePrefix(photoPrefix(row));
    throw error;
  }
  return presentPhotoAvatar(kernel, row);
}

/** The photo avatar with this id. Throws `notFound` and `foreign`. */
export async function loadPhotoAvatar(kernel: Kernel, caller: Caller, id: string): Promise<store.PhotoAvatarRow> {
  return requireOwn(await store.photoAvatars.find(kernel.db, id), caller.workspace.id, 'avatar');
}

/** Removes a photo avatar, its objects, and its files on this machine. Running streams keep what they have loaded. */
export async function deletePhotoAvatar(
  kernel: Kernel,
  row: store.PhotoAvatarRow,
): Promise<{ _id: string; deleted: true }> {
  await store.photoAvatars.delete(kernel.db, row.id);
  await kernel.objects.deletePrefix(photoPrefix(row));
  // Of a finished one it is deleted already.
  if (row.status === 'processing') await deleteFootage(kernel, row);
  await openPhotoPacks(kernel).drop(row.id);
  return { _id: row.id, deleted: true };
}

/** A link to a picture of a photo avatar, `undefined` unless it is ready. Older avatars have no bust, but the plate. */
export async function photoPicture(
  kernel: Kernel,
  row: store.PhotoAvatarRow,
  kind: PictureKind,
): Promise<string | undefined> {
  if (row.status !== 'ready') return undefined;
  const isThere = (await kernel.objects.info(`${photoPrefix(row)}${PICTURES[kind].path}`)) !== undefined;
  return linkTo(kernel, row, isThere ? kind : 'canvas');
}

/** A link to what viewers need to draw a photo avatar; `make` writes that file. Throws `unknownAvatar` for one that is deleted meanwhile. */
export async function photoViewerPack(
  kernel: Kernel,
  row: store.PhotoAvatarRow,
  { path, make }: { readonly path: string; readonly make: () => Promise<string> },
): Promise<string> {
  const key = `${photoPrefix(row)}${path}`;
  if ((await kernel.objects.info(key)) === undefined) {
    const file = await make();
    await kernel.objects.put(key, await readFile(file), 'application/octet-stream');
    // Not kept where deleting the avatar would miss it.
    await rm(file, { force: true });
    if ((await store.photoAvatars.find(kernel.db, row.id)) === undefined) {
      await kernel.objects.deletePrefix(photoPrefix(row));
      throw new ApiError('unknownAvatar', { avatar: row.id });
    }
  }
  return kernel.objects.link(key, PACK_LINK_SECONDS);
}

function linkTo(kernel: Kernel, row: store.PhotoAvatarRow, kind: PictureKind): string {
  return kernel.objects.link(`${photoPrefix(row)}${PICTURES[kind].path}`, LINK_SECONDS);
}

/** A photo avatar in the API's format; links only while it is ready. */
export function presentPhotoAvatar(kernel: Kernel, row: store.PhotoAvatarRow): Avatar {
  const isReady = row.status === 'ready';
  const link = (kind: PictureKind): string => (isReady ? linkTo(kernel, row, kind) : '');
  return {
    id: row.id,
    code: row.id,
    name: row.name,
    type: 'photo',
    gender: row.gender,
    status: row.status,
    thumbnail: link('thumbnail'),
    canvas: link('canvas'),
    ...(isReady ? { preview: link('preview') } : {}),
    variants: [],
    defaultVoice: { voice: VOICES[row.gender], voiceProvider: 'flite', language: 'English' },
    realtime: isReady,
    framings: row.background === 'original' ? [] : ['head', 'bust'],
    ...(row.background === null ? {} : { background: row.background }),
    ...(row.error === null ? {} : { error: row.error }),
    drawnByViewers: row.drawnByViewers,
    consent: {
      statement: row.consentStatement,
      givenBy: row.consentGivenBy,
      givenAt: row.consentGivenAt.toISOString(),
    },
  };
}

/**
 * The portrait's bytes; `undefined` for a film, which stays in the library until the worker reads it. Throws a 400
 * unless there is exactly one of them and it can be read.
 */
async function sourceOf(
  kernel: Kernel,
  caller: Caller,
  { image, footage, points }: PhotoAvatarInput,
): Promise<Buffer | undefined> {
  if (image !== undefined && footage === undefined) return portraitBytes(image.data);
  if (image !== undefined || footage === undefined) {
    throw invalidFields([{ field: 'image', message: 'or footage must be given, and not both' }]);
  }
  if (points !== undefined) throw invalidFields([{ field: 'points', message: 'are for a portrait, not for footage' }]);
  const medium = await loadMedia(kernel, caller, footage.mediaId);
  const problem =
    medium.type !== 'video'
      ? 'is not a video'
      : medium.status !== 'ready'
        ? `is not ready: its status is ${medium.status}`
        : undefined;
  if (problem !== undefined) throw invalidFields([{ field: 'footage.mediaId', message: problem }]);
  return undefined;
}

/** Each point exactly once: the schema alone would accept the same point twelve times. */
function checkPoints({ points }: PhotoAvatarInput): void {
  if (points === undefined || new Set(points.map(({ name }) => name)).size === points.length) return;
  throw invalidFields([{ field: 'points', message: 'must name each point once' }]);
}
