import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ProviderName, ProviderRow, ProviderSettingName } from '@figurehead/contract/document';
import { PROVIDERS } from '@figurehead/contract/document/provider';
import { namesOf } from '@figurehead/contract/document/table';
import { parse as parseDotenv } from 'dotenv';
import { SETTINGS, type Setting } from './config-table.js';

type Table = typeof SETTINGS;
type ValueOf<S> = S extends Setting<infer T> ? T : never;
type Widen<T> = T extends boolean ? boolean : T;

/** The configuration, validated and frozen. Property names are those of the table in `config-table.ts`. */
export type Config = Readonly<
  { [K in Exclude<keyof Table, 'url' | 'logLevel' | 'logFormat'>]: Widen<ValueOf<Table[K]>> } & {
    /** Public base URL without a trailing slash. */
    url: string;
    logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
    logFormat: 'auto' | 'json' | 'pretty';
  }
>;

/** Source of a value. */
export type ConfigSource = 'default' | 'environment' | '.env';

/** One line of `figurehead config`. */
export interface ConfigLine {
  readonly key: string;
  /** Text as set, `null` when unset without a default, `********` for a secret. */
  readonly value: string | null;
  readonly source: ConfigSource;
  readonly meaning: string;
}

/** The configuration is wrong; `problems` has one sentence for each fault. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
  }
}

/** Sources of the configuration. */
export interface ConfigOrigin {
  /** Default: the environment of the process. */
  readonly env?: NodeJS.ProcessEnv;
  /** Folder of `.env`, and base of relative paths. Default: the current folder. */
  readonly cwd?: string;
}

interface RawConfig {
  readonly base: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly dotenv: Readonly<Record<string, string>>;
}

function readRaw(origin: ConfigOrigin): RawConfig {
  const base = origin.cwd ?? process.cwd();
  return { base, environment: origin.env ?? process.env, dotenv: readDotenv(resolve(base, '.env')) };
}

function readDotenv(path: string): Record<string, string> {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new ConfigError([`${path} cannot be read: ${(error as Error).message}.`]);
  }
  return parseDotenv(content);
}

/** The environment takes precedence over `.env`; an empty value counts as not set. */
function lookUp(raw: RawConfig, key: string): { text: string; source: ConfigSource } | undefined {
  const fromEnvironment = raw.environment[key];
  if (fromEnvironment) return { text: fromEnvironment, source: 'environment' };
  const fromFile = raw.dotenv[key];
  return fromFile ? { text: fromFile, source: '.env' } : undefined;
}

/**
 * Reads, validates and freezes the configuration.
 * @throws ConfigError with every problem at once, unknown `FIGUREHEAD_*` keys included.
 */
export function loadConfig(origin: ConfigOrigin = {}): Config {
  const raw = readRaw(origin);
  const problems = unknownKeys(raw);
  const values: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(SETTINGS) as [string, Setting<unknown>][]) {
    const found = lookUp(raw, entry.key);
    try {
      values[name] = found === undefined ? defaultOf(entry, raw.base) : entry.parse(found.text.trim(), raw.base);
    } catch (error) {
      problems.push(`${entry.key} ${(error as Error).message}.`);
    }
  }
  const config = values as unknown as Config;
  problems.push(...contradictions(config));
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze({ ...config, url: config.url ?? `http://localhost:${config.port}` });
}

/** The data folder's default is a relative path, like a configured one. */
function defaultOf(entry: Setting<unknown>, base: string): unknown {
  return entry.key === SETTINGS.dataDir.key ? resolve(base, SETTINGS.dataDir.fallback) : entry.fallback;
}

function contradictions(config: Config): string[] {
  const problems: string[] = [];
  const s3 = config.s3Bucket !== undefined;
  if (s3 && (config.s3AccessKey === undefined) !== (config.s3SecretKey === undefined)) {
    problems.push('FIGUREHEAD_S3_ACCESS_KEY and FIGUREHEAD_S3_SECRET_KEY belong together; only one is set.');
  }
  if (!s3 && config.s3Endpoint !== undefined) {
    problems.push('FIGUREHEAD_S3_ENDPOINT is set without FIGUREHEAD_S3_BUCKET.');
  }
  for (const provider of namesOf(PROVIDERS)) {
    const { required = [] }: ProviderRow = PROVIDERS[provider];
    const [first = [], ...others] = required.map((group) => group.map((name) => nameOf(provider, name)));
    const given = first.find((name) => isSet(config, name));
    const missing = others.find((group) => !group.some((name) => isSet(config, name)));
    if (given === undefined || missing === undefined) continue;
    problems.push(`${SETTINGS[given].key} needs ${missing.map((name) => SETTINGS[name].key).join(' or ')}.`);
  }
  return problems;
}

function nameOf(provider: ProviderName, setting: string): ProviderSettingName {
  return `${provider}.${setting}` as ProviderSettingName;
}

function isSet(config: Config, name: keyof Table): boolean {
  return config[name] !== SETTINGS[name].fallback;
}

/** The settings of a speech provider with a value; `undefined` when a required one is missing, or it has none. */
export function providerConfig(config: Config, provider: ProviderName): Readonly<Record<string, string>> | undefined {
  const { settings = {}, required = [] }: ProviderRow = PROVIDERS[provider];
  const isAvailable = required.every((group) => group.some((name) => isSet(config, nameOf(provider, name))));
  const values = Object.keys(settings).flatMap((name) => {
    const value = config[nameOf(provider, name)];
    return value === undefined ? [] : [[name, value]];
  });
  return isAvailable && values.length > 0 ? Object.fromEntries(values) : undefined;
}

function unknownKeys(raw: RawConfig): string[] {
  const known = Object.values(SETTINGS).map((entry) => entry.key);
  const present = new Set([...Object.keys(raw.environment), ...Object.keys(raw.dotenv)]);
  return [...present]
    .filter((key) => key.startsWith('FIGUREHEAD_') && !known.includes(key))
    .sort()
    .map((key) => {
      const bare = key.replace('FIGUREHEAD_', '');
      const nearest = known.find((other) => other === bare) ?? nearestKey(key, known);
      const hint = nearest === undefined ? 'see `figurehead config` for all keys' : `did you mean ${nearest}?`;
      return `${key} is an unknown setting; ${hint}`;
    });
}

/** The known key that differs in at most a third of its letters, or `undefined`. */
function nearestKey(key: string, known: readonly string[]): string | undefined {
  const ranked = known
    .filter((candidate) => candidate.startsWith('FIGUREHEAD_'))
    .map((candidate) => ({ candidate, distance: editDistance(key.slice(11), candidate.slice(11)) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= Math.max(2, (key.length - 11) / 3) ? best.candidate : undefined;
}

/** Levenshtein distance: insertions, deletions and substitutions. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** Every key with its value, the value's source and its meaning, in the order of the manual. Secrets are masked. */
export function describeConfig(origin: ConfigOrigin = {}): ConfigLine[] {
  const raw = readRaw(origin);
  return (Object.values(SETTINGS) as Setting<unknown>[]).map((entry) => {
    const found = lookUp(raw, entry.key);
    const value = found === undefined ? showDefault(entry.fallback) : entry.secret ? '********' : found.text;
    return { key: entry.key, value, source: found?.source ?? 'default', meaning: entry.meaning };
  });
}

/** Values of the secret keys, for removing them from texts. They must not be printed anywhere. */
export function secretValues(origin: ConfigOrigin = {}): string[] {
  const raw = readRaw(origin);
  return (Object.values(SETTINGS) as Setting<unknown>[]).flatMap((entry) => {
    const found = entry.secret ? lookUp(raw, entry.key) : undefined;
    return found === undefined ? [] : [found.text.trim()];
  });
}

function showDefault(fallback: unknown): string | null {
  if (fallback === undefined || fallback === '') return null;
  if (Array.isArray(fallback) || typeof fallback === 'object') return null;
  if (typeof fallback === 'boolean') return fallback ? '1' : '0';
  return String(fallback);
}

/** The environment of a child process: ours with `overrides` on top. */
export function childEnvironment(overrides: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { ...process.env, ...overrides };
}

/** The Markdown page of all keys, generated from the table: `docs/configuration.md`. */
export function configurationPage(): string {
  const rows = Object.values(SETTINGS).map(({ key, fallback, meaning, secret }) => {
    const value =
      fallback === undefined || fallback === '' ? '' : typeof fallback === 'object' ? '' : `\`${String(fallback)}\``;
    return `| \`${key}\` | ${value} | ${meaning.replaceAll('|', '\\|')}${secret ? ' (secret)' : ''} |`;
  });
  return [
    '# Configuration',
    '',
    'By environment variables, or a `.env` file in the folder where the program is started. `npx figurehead config` prints each',
    "key's value and where it comes from. An unknown key that begins with `FIGUREHEAD_` stops the start.",
    '',
    '| key | default | meaning |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
