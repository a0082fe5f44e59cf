/** A live presenter as an element of any page: `definePresenter()`, then `<figurehead-presenter token="…" server="…">`. */

export { canShowTransparent, showTransparent } from '../transparent-picture.js';
export { definePresenter, FigureheadPresenter, type PresenterEvents } from './presenter.js';
export type { WidgetState } from './view.js';
