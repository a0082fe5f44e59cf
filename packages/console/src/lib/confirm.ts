/** Asks before something is lost. The browser's own dialogue: it cannot be styled, but it cannot be missed either. */
export function confirmLoss(question: string): boolean {
  return window.confirm(question);
}
