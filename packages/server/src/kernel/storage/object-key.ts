/**
 * Checks a key of an object: segments of `[A-Za-z0-9._-]` between slashes, none of them empty, `.` or `..`.
 * @throws Error on any other; keys come from our own code, so this is a bug and not an answer to a user.
 */
export function assertObjectKey(key: string): void {
  const segments = key.split('/');
  const isSafe = segments.every(
    (segment) => /^[A-Za-z0-9._-]{1,200}$/.test(segment) && segment !== '.' && segment !== '..',
  );
  if (!isSafe || key.length > 800) throw new Error(`expected an object key, got ${JSON.stringify(key)}`);
}

/** As {@link assertObjectKey} for a prefix, which may end in a slash. */
export function assertObjectPrefix(prefix: string): void {
  assertObjectKey(prefix.endsWith('/') ? prefix.slice(0, -1) : prefix);
}
