/** Shorter values are not treated as secrets, because common words would be removed from the logs. */
const SHORTEST_SECRET = 6;

/** Patterns of secrets and personal data. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\bfh_[A-Za-z0-9_-]{8,}/g, 'fh_[secret]'],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, '$1 [secret]'],
  // The password in a URL.
  [/(:\/\/[^\s:/@"']*):[^\s@/"']+@/g, '$1:[secret]@'],
  [/(signature|token|secret|password|api[-_]?key|figurehead_session)=[^\s&"';]+/gi, '$1=[secret]'],
];

/** The host of an e-mail address from its `@` on. */
const MAIL_HOST = /@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+/g;
const MAIL_NAME_SIGN = /[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]/;

/**
 * Creates a function that removes secrets and personal data from a text: the given values in all encodings, and
 * everything that looks like one.
 * @param secrets values of secret settings; passwords in URLs among them count as well.
 */
export function createScrubber(secrets: readonly string[]): (text: string) => string {
  const values = [...new Set(secrets.flatMap(formsOf))]
    .filter((value) => value.length >= SHORTEST_SECRET)
    // Longest first, because one may start with another.
    .sort((a, b) => b.length - a.length);
  return (text) => {
    let clean = text;
    for (const value of values) clean = clean.replaceAll(value, '[secret]');
    for (const [pattern, instead] of PATTERNS) clean = clean.replace(pattern, instead);
    return withoutPeople(clean);
  };
}

/** Removes the local part of e-mail addresses from a text. */
function withoutPeople(text: string): string {
  const kept: string[] = [];
  let at = 0;
  for (const { 0: host, index } of text.matchAll(MAIL_HOST)) {
    let start = index;
    while (start > at && MAIL_NAME_SIGN.test(text[start - 1] ?? '')) start--;
    if (start === index) continue;
    kept.push(text.slice(at, start), `[person]${host}`);
    at = index + host.length;
  }
  return kept.join('') + text.slice(at);
}

/** Plain, in JSON, percent-encoded, in base64, and the password of a URL. */
function formsOf(secret: string): string[] {
  const password = URL.canParse(secret) ? [new URL(secret).password] : [];
  return [secret, ...password, ...password.map(safeDecode)].flatMap((value) => [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    Buffer.from(value).toString('base64'),
  ]);
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}
