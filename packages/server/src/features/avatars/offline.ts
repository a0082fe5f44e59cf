/** What commands without a server use of presenters: the door for a program that must start quickly, without database and API. */
export { createPresenters, isBuiltIn } from './catalogue.js';
export { presenterOf } from './presenter.js';
