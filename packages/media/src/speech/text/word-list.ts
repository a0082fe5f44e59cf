/** Whether a space-separated list of words contains the token, ignoring case. */
export function isListed(words: string | undefined, token: string | undefined): boolean {
  return token === undefined ? false : words?.split(' ').includes(token.toLowerCase().replace(/[,:]$/u, '')) === true;
}

/** Whether a word has one of the endings of a space-separated list. */
export function endsIn(word: string, endings: string | undefined): boolean {
  return endings?.split(' ').some((ending) => word.endsWith(ending)) === true;
}
