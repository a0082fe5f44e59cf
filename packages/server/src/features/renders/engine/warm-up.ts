import { openFonts, parseDocument, type RenderResources, renderDocument } from '@figurehead/media';
import type { TemporaryFolders } from '../../../kernel/contract.js';

/** Two slides, so that two threads of each kind start. Their presenters, voices and fonts are those of the examples. */
const SLIDES = (['clara', 'daniel'] as const).map((code, index) => ({
  id: index + 1,
  speech: 'Hello.',
  voice: ['slt', 'rms'][index],
  voiceProvider: 'flite',
  avatar: { code },
  canvas: {
    background: '#1f3a5f',
    objects: [
      { type: 'textbox', left: 36, top: 96, width: 270, text: 'Hello', fontFamily: 'Montserrat', animation: 'fade_in' },
      { type: 'textbox', left: 36, top: 204, width: 260, text: 'Hello', fontFamily: 'Inter' },
      { type: 'avatar', left: 250, top: 30, width: 440, height: 330 },
    ],
  },
}));

/** Loading and compiling what a worker's first video needs. */
export interface WarmUp {
  /** Ends it for a real video, which continues with what is loaded. Never rejects. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Renders a short video and discards it. Afterwards modules, threads, voices and presenters are loaded and the code is compiled, so that a worker's
 * first video takes as long as its second (3 s less on two cores).
 */
export function warmUp(parts: WarmParts, onFailure: (error: unknown) => void): WarmUp {
  const stopped = new AbortController();
  const rendered = render(parts, stopped.signal).catch((error: unknown) => {
    if (!stopped.signal.aborted) onFailure(error);
  });
  return {
    stop: () => {
      stopped.abort();
      return rendered;
    },
  };
}

interface WarmParts extends Pick<RenderResources, 'speech' | 'resolvePack' | 'loadPack' | 'threadCache'> {
  readonly temporary: Pick<TemporaryFolders, 'within'>;
}

async function render({ temporary, ...parts }: WarmParts, signal: AbortSignal): Promise<void> {
  const { document } = parseDocument({ slides: SLIDES, data: { resolution: 'FullHD', subtitlesEnabled: true } });
  const noMedia = async (): Promise<never> => {
    throw new Error('the slides have no media');
  };
  const resources: RenderResources = {
    ...parts,
    resolveVoice: async ({ voice }) => ({ provider: 'flite', voice: voice ?? 'slt', locale: 'en-US' }),
    fonts: () => openFonts(),
    assets: { picture: noMedia, file: noMedia },
  };
  await temporary.within('warm-up-', (output) => renderDocument({ document, resources, output, signal }));
}
