/** Asks for confirmation before something is lost, with the browser's own dialog, which cannot be overlooked. */
export function confirmLoss(question: string): boolean {
  return window.confirm(question);
}
