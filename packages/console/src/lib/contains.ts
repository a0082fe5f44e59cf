/** Whether a text contains a part, in any case, and however accents are written: as one character or as two. */
export function contains(text: string, part: string): boolean {
  const plain = (one: string) => one.normalize().toLowerCase();
  return plain(text).includes(plain(part));
}
