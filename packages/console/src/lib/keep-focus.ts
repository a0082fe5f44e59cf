/**
 * Gives the keyboard focus back to a button that was disabled while its action ran: browsers take it away, so that Enter would not press it again.
 * Does nothing when the focus has moved on.
 */
export function keepFocus(): void {
  let latest: EventTarget | null = null;
  document.addEventListener('focusin', ({ target }) => {
    latest = target;
  });
  new MutationObserver((changes) => {
    for (const { target } of changes) {
      const isBack = target === latest && target instanceof HTMLButtonElement && !target.disabled;
      if (isBack && document.activeElement === document.body) target.focus();
    }
  }).observe(document.body, { subtree: true, attributeFilter: ['disabled'] });
}
