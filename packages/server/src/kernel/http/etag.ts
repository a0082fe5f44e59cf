/** Key of an answer's entity tag (RFC 9110, 8.8.3), which is sent as the header `ETag` and is not part of the JSON. */
export const ETAG = Symbol('ETag');

/** An answer under an entity tag. */
export type Tagged<T> = T & { readonly [ETAG]: string };

/** The entity tag of an answer, if it has one. */
export function etagIn(answer: unknown): string | undefined {
  return typeof answer === 'object' && answer !== null && ETAG in answer ? String(answer[ETAG]) : undefined;
}

const CODING = /[-;]{1,2}(?:gzip|br|zstd|deflate)"$/;

/**
 * Whether a request with this header `If-Match` may be carried out (RFC 9110, 13.1.1): without it, with `*`, and when its list
 * has the entity tag. Weak tags never match. Proxies that compress answers add the coding to their tags: `"3-gzip"`.
 */
export function matches(header: string | string[] | undefined, etag: string): boolean {
  if (header === undefined) return true;
  const tags = [header].flat().join(',').split(',');
  return tags.some((given) => {
    const tag = given.trim();
    return tag === '*' || tag.replace(CODING, '"') === etag;
  });
}
