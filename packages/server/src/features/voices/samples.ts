import { createHash } from 'node:crypto';
import { type CatalogueVoice, type ResolvedVoice, type SpokenText, sampleSentence } from '@figurehead/media';
import { encodeWav } from '@figurehead/media/basic';
import type { Kernel } from '../../kernel/contract.js';
import { ApiError } from '../../kernel/errors.js';
import { SharedWork } from '../../kernel/workers/shared-work.js';

/** Icons and sample recordings of voices, created on first request. */
export interface VoiceSamples {
  /** Signed links to a voice's icon (WebP, 96 px) and to its sample sentence (WAV). */
  links(voice: CatalogueVoice): { icon: string; url: string };
  /** Creates the object of such a link. False when the key is not one of a sample, or the voice is not available. */
  make(key: string): Promise<boolean>;
  /** Removes both objects of a voice. */
  remove(voice: CatalogueVoice): Promise<void>;
}

/**
 * Shared by all workspaces, because a voice sounds the same in each. The text is part of the name, so that a changed
 * text is synthesised.
 */
const SAMPLES = 'voice-samples/';
const ICONS = 'voice-icons/';

/** Validity of links: as long as a page of the console may stay open. */
const LINK_SECONDS = 24 * 3600;

const ICON_PX = 96;

interface SampleParts {
  readonly voices: () => Promise<readonly CatalogueVoice[]>;
  readonly utter: (line: string, text: string, voice: ResolvedVoice) => Promise<SpokenText>;
}

/** Samples do not belong to a workspace, so they have their own queue in the fair synthesis. */
const LINE = 'voice samples';

/** The catalogue's samples, over the objects of all workspaces. */
export function createVoiceSamples(kernel: Kernel, { utter, voices }: SampleParts): VoiceSamples {
  const making = new SharedWork<boolean>();

  async function speak(key: string): Promise<boolean> {
    const voice = (await voices()).find((one) => sampleKey(one) === key);
    if (voice === undefined) return false;
    const { provider, locale } = voice;
    try {
      const { samples } = await utter(LINE, sampleSentence(locale), { provider, voice: voice.voice, locale });
      await kernel.objects.put(key, encodeWav(samples), 'audio/wav');
      return true;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 400) throw error;
      kernel.log.warn({ err: error, provider, voice: voice.voice }, 'a voice could not speak its sample');
      return false;
    }
  }

  async function draw(key: string): Promise<boolean> {
    const voice = (await voices()).find((one) => iconKey(one) === key);
    if (voice === undefined) return false;
    // Stream hosts and workers draw no icons; sharp takes 0.1 s to load.
    const { default: sharp } = await import('sharp');
    const picture = await sharp(Buffer.from(iconSvg(voice)))
      .webp({ quality: 90 })
      .toBuffer();
    await kernel.objects.put(key, picture, 'image/webp');
    return true;
  }

  return {
    links: (voice) => ({
      icon: kernel.objects.link(iconKey(voice), LINK_SECONDS),
      url: kernel.objects.link(sampleKey(voice), LINK_SECONDS),
    }),
    make(key) {
      if (!key.startsWith(SAMPLES) && !key.startsWith(ICONS)) return Promise.resolve(false);
      return making.run(key, () => (key.startsWith(ICONS) ? draw(key) : speak(key)));
    },
    async remove(voice) {
      await Promise.all([iconKey(voice), sampleKey(voice)].map((key) => kernel.objects.delete(key)));
    },
  };
}

function sampleKey(voice: CatalogueVoice): string {
  return `${SAMPLES}${voice.provider}/${digest([voice.voice, voice.locale, sampleSentence(voice.locale)])}.wav`;
}

function iconKey(voice: CatalogueVoice): string {
  return `${ICONS}${voice.provider}/${digest([voice.voice, voice.name, voice.gender])}.webp`;
}

function digest(values: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 24);
}

/**
 * A disc in the voice's own colour with three sound bars, drawn with shapes only: letters would need a font of the
 * machine. Darker for men, lighter for women; no flag, because languages are not countries.
 */
function iconSvg(voice: CatalogueVoice): string {
  const bytes = createHash('sha256').update(`${voice.provider}:${voice.voice}`).digest();
  const hue = Math.round(((bytes[0] ?? 0) / 255) * 360);
  const light = voice.gender === 'female' ? 58 : 42;
  const bars = [0, 1, 2, 3, 4].map((index) => {
    const height = 16 + ((bytes[index + 1] ?? 0) / 255) * 34;
    return `<rect x="${23 + index * 11}" y="${48 - height / 2}" width="6" height="${height}" rx="3" fill="#fff"/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${ICON_PX}" height="${ICON_PX}" viewBox="0 0 96 96">
<defs><linearGradient id="g" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="hsl(${hue},62%,${light}%)"/><stop offset="1" stop-color="hsl(${(hue + 40) % 360},62%,${light - 14}%)"/></linearGradient></defs>
<circle cx="48" cy="48" r="48" fill="url(#g)"/>${bars.join('')}</svg>`;
}
