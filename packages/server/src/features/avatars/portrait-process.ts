/** Program of the process that draws pictures of presenters, so that the API is not blocked. */
import { serveProcess } from '../../kernel/workers/process-program.js';
import { makePortrait } from './portrait-maker.js';

serveProcess(makePortrait);
