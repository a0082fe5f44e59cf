import { Component, type ReactNode } from 'react';
import { Failure } from './states.js';

/** Catches errors of a screen, so that a message appears instead of an empty page. */
export class Boundary extends Component<{ readonly children: ReactNode }, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return <Failure error={this.state.error} retry={() => window.location.reload()} />;
  }
}
