import type { FormEvent } from 'react';

/** Handler of a form that sends nothing itself: `act` does. */
export function submits(act: () => unknown): (event: FormEvent) => void {
  return (event) => {
    event.preventDefault();
    act();
  };
}
