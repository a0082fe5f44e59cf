import type { Avatar } from '@figurehead/contract';
import { AGES, PROVIDERS } from '@figurehead/contract/document/provider';
import { isNameOf, namesOf } from '@figurehead/contract/document/table';
import type { CatalogueVoice } from '@figurehead/media';
import type { Aliases } from '../../kernel/config/config-table.js';
import { ApiError, invalidFields } from '../../kernel/errors.js';

/** Voice requested by a slide, a stream or a setting; missing parts use defaults. */
export interface VoiceChoice {
  readonly voice?: string | null | undefined;
  readonly provider?: string | null | undefined;
  /** The field of the request that names the provider. */
  readonly providerField?: 'provider' | 'voiceProvider';
  /** English name of a language, or a BCP 47 tag. */
  readonly language?: string | null | undefined;
  /** It is for live speech, with which some natural voices do not keep up. */
  readonly isLive?: boolean;
  /** The presenter; without a named voice, one that matches is chosen. */
  readonly presenter?: Pick<Avatar, 'gender' | 'age' | 'defaultVoice'> | undefined;
}

/**
 * Finds the requested voice. The operator's aliases replace ids of other services; nothing else is substituted. An id may have its
 * provider as a prefix (`flite:slt`). Throws a 400.
 */
export function chooseVoice(voices: readonly CatalogueVoice[], aliases: Aliases, wish: VoiceChoice): CatalogueVoice {
  const { provider, voice } = applyAlias(aliases, wish);
  const language = wish.language === '' ? undefined : (wish.language ?? undefined);
  if (provider !== undefined) requireProvider(voices, provider, wish.providerField);
  if (voice === undefined) return fittingVoice(voices, { ...wish, provider, language });
  const matching = voices.filter((one) => one.voice === voice && (provider === undefined || one.provider === provider));
  const spoken = matching.find((one) => language !== undefined && speaks(one, language)) ?? matching[0];
  if (spoken === undefined) throw unknownVoice(voice, provider);
  return spoken;
}

/** An unknown prefix before the colon is the most likely mistake, so the message lists the providers. */
function unknownVoice(voice: string, provider: string | undefined): ApiError {
  if (provider !== undefined) return new ApiError('unknownVoice', { voice, place: ` at the provider "${provider}"` });
  const prefix = voice.includes(':') ? splitId(voice).provider : undefined;
  if (prefix === undefined) return new ApiError('unknownVoice', { voice, place: ' on this server' });
  const place = `: "${prefix}" is not a speech provider. Providers are ${namesOf(PROVIDERS).join(', ')}`;
  return new ApiError('unknownVoice', { voice, place });
}

/** Throws a 400 when the provider is unknown or has no voices here. */
function requireProvider(
  voices: readonly CatalogueVoice[],
  provider: string,
  field: VoiceChoice['providerField'] = 'voiceProvider',
): void {
  if (!isNameOf(PROVIDERS, provider)) {
    throw invalidFields([{ field, message: `must be one of ${namesOf(PROVIDERS).join(', ')}` }]);
  }
  if (!voices.some((one) => one.provider === provider)) {
    throw new ApiError('invalid', {
      reason: `The speech provider ${provider} is not configured on this server: ${PROVIDERS[provider].remedy}.`,
    });
  }
}

function applyAlias(aliases: Aliases, wish: VoiceChoice): { provider: string | undefined; voice: string | undefined } {
  const provider = wish.provider || undefined;
  const voice = wish.voice || undefined;
  if (voice === undefined) return { provider, voice };
  const id = provider === undefined ? voice : `${provider}:${voice}`;
  const aliased = aliases.voices[id];
  if (aliased !== undefined) return splitId(aliased);
  const named = splitId(voice);
  const isGlobal = provider === undefined && isNameOf(PROVIDERS, named.provider);
  return isGlobal ? named : { provider, voice };
}

function splitId(id: string): { provider: string; voice: string } {
  const colon = id.indexOf(':');
  return { provider: id.slice(0, colon), voice: id.slice(colon + 1) };
}

/** Processor seconds for a second of live speech: the rest is for pictures, and for a second stream. */
const KEEPS_UP = 0.5;
const LOAD_STEP = 0.1;

/**
 * Default voice: a natural one of this machine for the presenter's gender if there is one (the best for a video, the fastest that keeps up for live speech), otherwise the presenter's if it speaks the language, otherwise
 * one of the same gender, otherwise the first. Of the provider's voices of that gender, the one nearest in age: the age alone must not send a text to
 * another provider.
 */
function fittingVoice(
  voices: readonly CatalogueVoice[],
  {
    provider,
    language = 'English',
    presenter,
    isLive = false,
  }: { provider: string | undefined; language: string | undefined } & Pick<VoiceChoice, 'presenter' | 'isLive'>,
): CatalogueVoice {
  const speaking = voices.filter(
    (one) => (provider === undefined || one.provider === provider) && speaks(one, language),
  );
  const own = presenter?.defaultVoice;
  const natural = speaking.filter(
    (one) => one.natural && (!isLive || provider !== undefined || one.natural.load <= KEEPS_UP),
  );
  const isFitting = ({ gender }: CatalogueVoice): boolean => presenter === undefined || gender === presenter.gender;
  const found =
    nearestInAge(natural.filter(isFitting).toSorted(isLive ? fastestFirst : bestFirst), presenter?.age) ??
    speaking.find((one) => one.voice === own?.voice && one.provider === own.voiceProvider) ??
    nearestInAge(
      speaking.filter((one) => one.gender === presenter?.gender),
      presenter?.age,
    ) ??
    speaking[0];
  if (found === undefined) {
    const of = provider === undefined ? '' : ` of the provider ${provider}`;
    throw new ApiError('invalid', { reason: `There is no voice${of} for the language "${language}" on this server.` });
  }
  return found;
}

function bestFirst(a: CatalogueVoice, b: CatalogueVoice): number {
  return (b.natural?.quality ?? 0) - (a.natural?.quality ?? 0);
}

/** In steps, because two measurements of one network differ. */
function fastestFirst(a: CatalogueVoice, b: CatalogueVoice): number {
  const steps = ({ natural }: CatalogueVoice) => Math.round((natural?.load ?? 0) / LOAD_STEP);
  return steps(a) - steps(b) || bestFirst(a, b);
}

function nearestInAge(voices: readonly CatalogueVoice[], wanted: Avatar['age']): CatalogueVoice | undefined {
  const [first] = voices;
  if (wanted === undefined) return first;
  // A voice of unknown age is better than one of the opposite age.
  const distance = ({ age }: CatalogueVoice) =>
    age === undefined ? 1.5 : Math.abs(AGES.indexOf(age) - AGES.indexOf(wanted));
  const own = voices.filter(({ provider }) => provider === first?.provider);
  return own.sort((a, b) => distance(a) - distance(b))[0];
}

/** `German`, `german`, `de`, `de-DE` and `German (Germany)` all match a German voice. */
export function speaks(voice: Pick<CatalogueVoice, 'language' | 'locale'>, language: string): boolean {
  const wanted = language.trim().toLowerCase().replace('_', '-');
  const locale = voice.locale.toLowerCase();
  const name = voice.language.toLowerCase();
  return wanted === name || wanted === locale || wanted === locale.split('-')[0] || wanted.startsWith(`${name} (`);
}
