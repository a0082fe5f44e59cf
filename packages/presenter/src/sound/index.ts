/** Mouth shapes and loudness of speech, from its sound alone. */
export { type HeardSpeech, SoundCutter } from './cutter.js';
export { energyOf, placeSpeech } from './energy.js';
export { addMark, SoundMarker } from './marker.js';
export { BANDS, logMel, melBands, Spectrometer, type Spectrum, WINDOW } from './mel.js';
export { openNetwork, type PhoneClassifier, type StoredNetwork } from './network.js';
