import type { FieldError } from '@figurehead/contract';
import { isRecorded, withoutTags } from '@figurehead/contract/document';
import { detectLanguage, languageName } from '../../kernel/languages.js';
import type { FrozenVideo } from './contract.js';

/** Languages that the detector distinguishes with certainty: close relatives such as Danish and Norwegian are left out. */
const DISTINCT = new Set('ar cs de el en es fi fr he hi hu it ja ko nl pl pt ro ru sv th tr vi zh'.split(' '));

/** A warning for each slide whose text is in another language than its voice, as far as the text tells. */
export async function foreignVoices(slides: FrozenVideo['slides']): Promise<FieldError[]> {
  const names = new Set([...DISTINCT].map(languageName));
  const warnings = await Promise.all(
    slides.map(async (slide, index) => {
      const { language, speech } = slide;
      if (isRecorded(slide) || !language || !speech || !names.has(language)) return [];
      const tag = await detectLanguage(withoutTags(speech), DISTINCT);
      if (tag === undefined || languageName(tag) === language) return [];
      const message = `The text seems to be ${languageName(tag)}, and its voice speaks ${language}.`;
      return [{ field: `slides[${index}].voice`, message }];
    }),
  );
  return warnings.flat();
}
