/** The parts of voices for commands without a server, which must start quickly, without database and API. */
export { chooseVoice } from './choice.js';
export { openSpeech, timesOf } from './speech.js';
