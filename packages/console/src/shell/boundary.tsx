import { Component, type ReactNode } from 'react';
import { Failure } from './states.js';

/** Catches render errors of a screen, so that an error page appears instead of an empty one. */
export class Boundary extends Component<{ readonly children: ReactNode }, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return <Failure error={this.state.error} retry={() => this.setState({ error: undefined })} />;
  }
}
