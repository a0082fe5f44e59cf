import type { PresentationKind } from './inspection.js';

/** Content types of presentations (RFC 8118, IANA). */
export const SOURCE_TYPES: Readonly<Record<PresentationKind, string>> = {
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  odp: 'application/vnd.oasis.opendocument.presentation',
  ppt: 'application/vnd.ms-powerpoint',
  pdf: 'application/pdf',
};

/** Links in slides must be valid as long as the document: a hundred years, in seconds. */
export const PAGE_LINK_SECONDS = 100 * 365 * 24 * 3600;

/** Prefix of all objects of an import. Not below its video's prefix, because copies of the video use the same pages. */
export function importPrefix({ workspaceId, id }: { workspaceId: string; id: string }): string {
  return `${workspaceId}/presentations/${id}/`;
}

/** Key of the uploaded file, which is removed after the import. */
export function sourceKey(source: { workspaceId: string; id: string; kind: PresentationKind }): string {
  return `${importPrefix(source)}source.${source.kind}`;
}
