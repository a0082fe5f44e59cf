import { catalogueOf, parseSherpaModel, type SherpaModel, wrongDescription } from './model.js';

/** Supported networks, by the names of sherpa-onnx's settings: OpenAI's Whisper, Moonshine, SenseVoice. */
const ENGINES = ['whisper', 'moonshine', 'senseVoice'] as const;

/** A speech recogniser of the catalogue, and the description of an installed one. */
export interface RecogniserModel extends SherpaModel {
  readonly engine: (typeof ENGINES)[number];
  /** The languages that it knows as ISO 639 codes with spaces between; Whisper ends the process when it is given another. */
  readonly codes: string;
}

/** Description of an installed recogniser, inside its folder. */
export const RECOGNISER_FILE = 'recogniser.json';

/** The command that installs a recogniser of most languages. */
export const RECOGNISER_COMMAND = 'figurehead voices add whisper-base';

/** Languages whose code in the models is another one. */
const CODES: Readonly<Record<string, string>> = { nb: 'no', jv: 'jw', fil: 'tl' };

/** The recognisers of the catalogue. */
export function recogniserModels(): RecogniserModel[] {
  return catalogueOf(ENGINES).map(parseRecogniser);
}

/** Validates a description. Throws an Error that names the wrong field. */
export function parseRecogniser(raw: unknown): RecogniserModel {
  const model = parseSherpaModel(raw, ENGINES) as RecogniserModel;
  if (typeof model.codes !== 'string' || !/^[a-z]{2,3}( [a-z]{2,3})*$/u.test(model.codes))
    throw wrongDescription(model.name, 'codes of languages with spaces between');
  return model;
}

/** The model's code of a language; `undefined` when it does not know the language. @param language ISO 639. */
export function codeOf({ codes }: RecogniserModel, language: string): string | undefined {
  const known = codes.split(' ');
  return [language, CODES[language]].find((code) => code !== undefined && known.includes(code));
}
