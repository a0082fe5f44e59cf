/** A promise that the test resolves. */
export function signalled<T = void>(): { readonly promise: Promise<T>; readonly signal: (value: T) => void } {
  let signal: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolve) => {
    signal = resolve;
  });
  return { promise, signal };
}
