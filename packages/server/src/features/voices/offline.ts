/** What commands without a server use of voices: the door for a program that must start quickly, without database and API. */
export { chooseVoice } from './choice.js';
export { openSpeech } from './speech.js';
export { encodeWav } from './wav.js';
