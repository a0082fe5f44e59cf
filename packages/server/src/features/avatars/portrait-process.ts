/** Program of the process that draws pictures of presenters, so that the API is not blocked. */
import { setPriority } from 'node:os';
import { serveProcess } from '../../kernel/workers/process-program.js';
import { makePortrait } from './portrait-maker.js';

/** API calls and renders have a higher priority. */
setPriority(10);

serveProcess(makePortrait);
