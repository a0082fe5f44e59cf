/** Build step that creates the pictures of the built-in presenters; `scripts/build.js` runs it. */
import { preparePictures } from './catalogue.js';

await preparePictures();
