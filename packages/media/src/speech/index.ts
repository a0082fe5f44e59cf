/** Public interface of speech synthesis. */
export { energyOf } from '@figurehead/presenter/sound';
export { ArrivingSound, SAMPLE_BYTES } from './arriving-sound.js';
export {
  createSpeech,
  type SpeakOptions,
  type Speech,
  type SpeechConfig,
  type SpokenReport,
} from './catalogue.js';
export {
  type CatalogueVoice,
  type Cloning,
  type Marks,
  type NamedMark,
  type PhonemeMark,
  type ProviderName,
  type SpeechChunk,
  SpeechError,
  type SpeechOptions,
  type SpokenText,
  type WordMark,
} from './contract.js';
export { joinChunks } from './energy.js';
export { makeModel } from './engines/sherpa/make-model.js';
export type { ModelFolder, SherpaModel } from './engines/sherpa/model.js';
export {
  type NaturalVoiceModel,
  naturalVoices,
  parseNaturalVoice,
  VOICE_FILE,
  voiceIds,
} from './engines/sherpa/natural-voice.js';
export { readPiperVoices } from './engines/sherpa/piper.js';
export { installedRecognisers, type RecordedSpeech, SpeechRecogniser } from './engines/sherpa/recogniser.js';
export {
  parseRecogniser,
  RECOGNISER_COMMAND,
  RECOGNISER_FILE,
  type RecogniserModel,
  recogniserModels,
} from './engines/sherpa/recogniser-model.js';
export {
  findSherpa,
  needsSherpa,
  type SherpaPackage,
  type SherpaRuntime,
  sherpaPackages,
  sherpaRuntime,
} from './engines/sherpa/runtime.js';
export type { NaturalConfig } from './engines/sherpa/sherpa.js';
export { marksFromSound } from './from-sound.js';
export { levelSpeech } from './level.js';
export type { RecordedOptions } from './recording/recording.js';
export { sampleSentence } from './sample-sentences.js';
export { ArrivingText } from './text/arriving.js';
export { pronunciationsIn } from './text/pronunciations.js';
export { readScript } from './text/script.js';
