import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

/** A component that is loaded when it is first shown. Its file is missing while the server is away, and after an upgrade of the server. */
// biome-ignore lint/suspicious/noExplicitAny: properties of every component, as in React's own `lazy`
export function late<C extends ComponentType<any>>(load: () => Promise<{ default: C }>): LazyExoticComponent<C> {
  return lazy(() =>
    load().catch((cause) => {
      throw new Error('The server did not answer, or it was upgraded. Load the page again.', { cause });
    }),
  );
}
