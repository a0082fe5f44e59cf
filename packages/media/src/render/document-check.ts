import type { Problem, SlideDocument, VideoDocument } from '@figurehead/contract/document';
import { reasonOf } from '../scene/assets.js';
import { readScript } from '../speech/text/script.js';
import type { RenderResources, VoiceRequest } from './contract.js';

/** Problems of a document that depend on the available voices and presenters. Throws a `ResourceOutage`. */
export async function findProblems(
  { slides }: VideoDocument,
  resources: Pick<RenderResources, 'resolveVoice' | 'resolvePack'>,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  const report = (path: string, message: string): void => {
    problems.push({ path, message, level: 'error' });
  };
  for (const [index, slide] of slides.entries()) {
    const at = `slides[${index}]`;
    const { avatar } = slide;
    const hasScript = slide.speech.trim() !== '';
    if (!isSpoken(slide) && slide.duration === null) report(at, 'the slide has neither speech nor duration');
    const noScript = hasScript ? await refusalOf(async () => readScript(slide.speech)) : undefined;
    if (noScript !== undefined) report(`${at}.speech`, noScript);
    const needsVoice = hasScript && slide.recording === null;
    const noVoice = needsVoice ? await refusalOf(() => resources.resolveVoice(voiceRequestOf(slide))) : undefined;
    if (noVoice !== undefined) report(`${at}.voice`, noVoice);
    const noPack = avatar === null ? undefined : await refusalOf(() => resources.resolvePack(avatar));
    if (noPack !== undefined) report(`${at}.avatar`, noPack);
  }
  return problems;
}

/** True when the slide has a recording or a text to synthesize. */
export function isSpoken({ recording, speech }: SlideDocument): boolean {
  return recording !== null || speech.trim() !== '';
}

export function voiceRequestOf({ voice, voiceProvider: provider, language, avatar }: SlideDocument): VoiceRequest {
  return { voice, provider, language, avatar };
}

async function refusalOf(find: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await find();
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}
