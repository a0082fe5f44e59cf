import { type RefObject, useEffect, useRef } from 'react';

/**
 * For a list that scrolls: it, and not the page, scrolls so that its chosen entry is in the middle, now and after each change of `on`. When an
 * entry has the keyboard focus, the chosen one gets it.
 * @param chosen CSS selector of the chosen entry.
 */
export function useChosenShown<E extends HTMLElement>(chosen: string, on: unknown): RefObject<E | null> {
  const list = useRef<E>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the change is what it reacts to
  useEffect(() => {
    const entry = list.current?.querySelector<HTMLElement>(chosen);
    if (!list.current || !entry) return;
    const [whole, part] = [list.current.getBoundingClientRect(), entry.getBoundingClientRect()];
    list.current.scrollBy({
      left: part.left + part.width / 2 - whole.left - whole.width / 2,
      top: part.top + part.height / 2 - whole.top - whole.height / 2,
    });
    if (list.current.contains(document.activeElement)) entry.focus({ preventScroll: true });
  }, [chosen, on]);
  return list;
}
