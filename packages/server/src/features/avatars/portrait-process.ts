/** The program of the process that makes pictures of presenters, so that the API does not block meanwhile. */
import { setPriority } from 'node:os';
import { serveProcess } from '../../kernel/workers/process-program.js';
import { makePortrait } from './portrait-maker.js';

/** Calls and renders go first. */
setPriority(10);

serveProcess(makePortrait);
