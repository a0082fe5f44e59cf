/** Voices: the catalogue, saved settings, preview, and the speech of single slides. */
export { recordingOf } from './clones/clone-recording.js';
export { expireAudio } from './expiry.js';
export { createSpeechMetrics, type SpeechMetrics } from './metrics.js';
export { checkAddresses } from './natural/check.js';
export { digestOf } from './natural/download.js';
export { bytesOf, downloadsFor, installModel, installSherpa, isAdded } from './natural/install.js';
export { createNaturalVoices } from './natural/natural-voices.js';
export { PIPER_MIRROR, textOf, VoiceMirror } from './natural/piper-mirror.js';
export { uploadPiperVoice } from './natural/upload.js';
export { requireSpeaker } from './speaker.js';
export { naturalFolder, openSpeech, piperFolder, recogniserFolder } from './speech.js';
export { createVoices, type Voices, type WorkspaceVoice } from './voices.js';
