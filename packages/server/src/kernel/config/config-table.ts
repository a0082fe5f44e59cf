import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import type { ProviderRow, ProviderSetting, ProviderSettingName } from '@figurehead/contract/document';
import { PROVIDERS } from '@figurehead/contract/document/provider';
import { namesOf } from '@figurehead/contract/document/table';
import type { PortRange } from '@figurehead/media';

/**
 * The configuration as a table: this file is the manual that `figurehead config` prints. To add a setting, add one
 * entry here; nothing else is needed. `config.ts` reads the environment according to it.
 */

/** Foreign voice and avatar ids that this installation maps to its own (`FIGUREHEAD_ALIASES`). */
export interface Aliases {
  /** `provider:voice` → `provider:voice`. */
  readonly voices: Readonly<Record<string, string>>;
  /** Avatar code → avatar code. */
  readonly avatars: Readonly<Record<string, string>>;
}

/** One configuration key: how its text is read, and what it means. */
export interface Setting<T> {
  /** Name of the environment variable. */
  readonly key: string;
  /** Shown instead of a value when the key is not set. */
  readonly fallback: T;
  /** One sentence for the operator. */
  readonly meaning: string;
  /** True when the value must never be printed. */
  readonly secret: boolean;
  /** Reads the text; throws an `Error` whose message completes "KEY …". */
  readonly parse: (text: string, base: string) => T;
}

function setting<T>(
  key: string,
  fallback: T,
  parse: Setting<T>['parse'],
  meaning: string,
  options: { secret?: boolean } = {},
): Setting<T> {
  return { key, fallback, parse, meaning, secret: options.secret ?? false };
}

const text = (value: string): string => value;

/** A setting that may be absent. */
function optional<T>(key: string, parse: Setting<T>['parse'], meaning: string): Setting<T | undefined> {
  return setting<T | undefined>(key, undefined, parse, meaning);
}

/** Text that may be absent and must never be printed. */
function secret(key: string, meaning: string, parse: Setting<string>['parse'] = text): Setting<string | undefined> {
  return setting<string | undefined>(key, undefined, parse, meaning, { secret: true });
}

/** How long something is kept; 0 keeps it forever. */
function days(key: string, fallback: number, meaning: string): Setting<number> {
  return setting(key, fallback, whole(0, 36_500), meaning);
}

function whole(min: number, max: number): (value: string) => number {
  return (value) => {
    const parsed = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (!(parsed >= min && parsed <= max)) {
      throw new Error(`must be a whole number from ${min} to ${max}, not "${value}"`);
    }
    return parsed;
  };
}

function flag(value: string): boolean {
  if (['1', 'true', 'yes', 'on'].includes(value.toLowerCase())) return true;
  if (['0', 'false', 'no', 'off'].includes(value.toLowerCase())) return false;
  throw new Error(`must be 1 or 0, not "${value}"`);
}

function oneOf<const T extends string>(...values: readonly T[]): (value: string) => T {
  return (value) => {
    const found = values.find((candidate) => candidate === value);
    if (found === undefined) throw new Error(`must be one of ${values.join(', ')}, not "${value}"`);
    return found;
  };
}

function url(...protocols: readonly string[]): (value: string) => string {
  return (value) => {
    // The value may carry a password, so it is never repeated in the message.
    if (!URL.canParse(value)) throw new Error(`must be a URL that starts with ${protocols.join(' or ')}`);
    const parsed = new URL(value);
    if (!protocols.includes(`${parsed.protocol}//`)) {
      throw new Error(`must start with ${protocols.join(' or ')}, not ${parsed.protocol}//`);
    }
    return value.replace(/\/{1,8}$/, '');
  };
}

const webAddress = url('http://', 'https://');

function databaseUrl(value: string): string {
  if (!/^postgres(ql)?:\/\//.test(value)) throw new Error('must start with postgres:// or postgresql://');
  return value;
}

function path(value: string, base: string): string {
  return resolve(base, value);
}

function mailAddress(value: string): string {
  const bare = /<([^<>]+)>\s*$/.exec(value)?.[1] ?? value;
  if (/[\r\n]/.test(value) || !/^[^\s<>@,;]+@[^\s<>@,;]+$/.test(bare)) {
    throw new Error(`must be a mail address such as figurehead@example.org, not "${value}"`);
  }
  return value;
}

function turnUrls(value: string): readonly string[] {
  const urls = value.split(/[\s,]+/).filter((entry) => entry !== '');
  const wrong = urls.find((entry) => !/^(turns?|stun):[^\s/]+$/.test(entry));
  if (wrong !== undefined) throw new Error(`must list URLs such as turn:turn.example.org:3478, not "${wrong}"`);
  return Object.freeze(urls);
}

function portRange(value: string): PortRange {
  const match = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(value);
  const from = Number(match?.[1]);
  const to = Number(match?.[2] ?? match?.[1]);
  if (!(from >= 1 && to <= 65_535 && from <= to)) {
    throw new Error(`must be a port or a range of ports such as 40000-40100, not "${value}"`);
  }
  return Object.freeze({ from, to });
}

/** Viewers get it in ICE candidates, where not every browser resolves names. */
function ipAddress(value: string): string {
  if (isIP(value) === 0) throw new Error(`must be an IP address such as 203.0.113.7, not "${value}"`);
  return value;
}

function proxyAddresses(value: string): readonly string[] {
  const ranges = value.split(/[\s,]+/).filter((entry) => entry !== '');
  const wrong = ranges.find((entry) => !isAddressRange(entry));
  if (wrong !== undefined) throw new Error(`must list addresses such as 10.0.0.0/8, not "${wrong}"`);
  return Object.freeze(ranges);
}

function isAddressRange(entry: string): boolean {
  const [address = '', bits, more] = entry.split('/');
  const version = isIP(address);
  if (version === 0 || more !== undefined) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** Addresses of servers for live rooms. */
function roomServers(value: string): readonly string[] {
  const urls = value.split(/[\s,]+/).filter((entry) => entry !== '');
  const wrong = urls.find((entry) => !URL.canParse(entry) || !/^(ws|http)s?:$/.test(new URL(entry).protocol));
  if (wrong !== undefined) throw new Error(`must list addresses such as wss://livekit.example.com, not "${wrong}"`);
  return Object.freeze(urls);
}

/** `name=value` pairs as OpenTelemetry writes them; values are percent-encoded and never repeated in a message. */
function headerList(value: string): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const pair of value.split(',').filter((entry) => entry.trim() !== '')) {
    const [, name = '', content = ''] = /^([\w-]+)\s*=(.*)$/.exec(pair.trim()) ?? [];
    if (name === '') throw new Error('must be a list such as name=value,name=value');
    headers[name] = decodeURIComponent(content.trim());
  }
  return Object.freeze(headers);
}

/** Encoder for H.264. */
type Encoder = 'auto' | 'cpu' | 'nvenc';

/** Without a prototype: callers' texts are looked up in it, also `constructor` and `__proto__`. */
function aliasTable(entries: object = {}): Readonly<Record<string, string>> {
  return Object.freeze(Object.assign(Object.create(null), entries));
}

const NO_ALIASES: Aliases = Object.freeze({ voices: aliasTable(), avatars: aliasTable() });

function aliases(value: string, base: string): Aliases {
  const json = value.trimStart().startsWith('{') ? value : readAliasFile(resolve(base, value));
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch (cause) {
    throw new Error('must be JSON, or the path of a JSON file', { cause });
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new Error('must be an object with "voices" and "avatars"');
  }
  const unknown = Object.keys(parsed).find((name) => name !== 'voices' && name !== 'avatars');
  if (unknown !== undefined) throw new Error(`must only have "voices" and "avatars", not "${unknown}"`);
  const { voices, avatars } = parsed as { voices?: unknown; avatars?: unknown };
  return Object.freeze({
    voices: aliasTable(aliasMap('voices', voices, /^[^:]+:.+$/)),
    avatars: aliasTable(aliasMap('avatars', avatars, /./)),
  });
}

function readAliasFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Error(`must be JSON or a readable file; ${path} cannot be read`, { cause });
  }
}

/** The words of a file, one per line; empty lines and those that begin with `#` are left out. */
function wordFile(value: string, base: string): readonly string[] {
  const path = resolve(base, value);
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Error(`must be a readable file; ${path} cannot be read`, { cause });
  }
  const lines = content
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((line) => line.trim());
  const words = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (words.length === 0) throw new Error(`must name a file with one word per line; ${path} has none`);
  return Object.freeze(words);
}

function aliasMap(name: string, value: unknown, pattern: RegExp): Readonly<Record<string, string>> {
  if (value === undefined) return Object.freeze({});
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`must map names to names under "${name}"`);
  }
  const map: Record<string, string> = {};
  for (const [from, to] of Object.entries(value as Record<string, unknown>)) {
    if (typeof to !== 'string' || !pattern.test(from) || !pattern.test(to)) {
      throw new Error(`has a wrong alias under "${name}": ${JSON.stringify(from)} → ${JSON.stringify(to)}`);
    }
    map[from] = to;
  }
  return Object.freeze(map);
}

const PROVIDER_PARSERS: Readonly<Record<ProviderSetting['kind'], Setting<string>['parse']>> = {
  secret: text,
  text,
  folder: path,
  address: webAddress,
};

/** The settings of the speech providers in the contract's table. */
function providerSettings(): Readonly<Record<ProviderSettingName, Setting<string | undefined>>> {
  const rows = namesOf(PROVIDERS).flatMap((provider) => {
    const { settings = {} }: ProviderRow = PROVIDERS[provider];
    return Object.entries(settings).map(([name, { key, kind, fallback, meaning }]) => {
      const parse = PROVIDER_PARSERS[kind];
      return [`${provider}.${name}`, setting(key, fallback, parse, meaning, { secret: kind === 'secret' })] as const;
    });
  });
  return Object.fromEntries(rows) as Record<ProviderSettingName, Setting<string | undefined>>;
}

/** All keys. The property names are those of {@link Config}. */
export const SETTINGS = Object.freeze({
  port: setting('PORT', 8080, whole(0, 65_535), 'TCP port of the API and the console; 0 takes any free port.'),
  host: setting('HOST', '0.0.0.0', text, 'Address to listen on; 127.0.0.1 allows only this machine.'),
  url: optional(
    'FIGUREHEAD_URL',
    webAddress,
    'Public base URL; media links and the console use it. Default: http://localhost:PORT.',
  ),
  dataDir: setting('FIGUREHEAD_DATA', '.figurehead', path, 'Data folder: embedded database, media, temporary files.'),
  databaseUrl: secret(
    'DATABASE_URL',
    'PostgreSQL 15 or newer. Not set: an embedded PostgreSQL in the data folder.',
    databaseUrl,
  ),

  s3Bucket: optional('FIGUREHEAD_S3_BUCKET', text, 'S3 bucket for media. Not set: files in the data folder.'),
  s3Endpoint: optional('FIGUREHEAD_S3_ENDPOINT', webAddress, 'S3 endpoint of a server other than AWS.'),
  s3Region: setting('FIGUREHEAD_S3_REGION', 'us-east-1', text, 'S3 region.'),
  s3AccessKey: secret('FIGUREHEAD_S3_ACCESS_KEY', 'S3 access key id.'),
  s3SecretKey: secret('FIGUREHEAD_S3_SECRET_KEY', 'S3 secret key.'),
  s3Prefix: setting('FIGUREHEAD_S3_PREFIX', '', text, 'Prefix of every key in the bucket.'),

  smtpUrl: secret(
    'FIGUREHEAD_SMTP_URL',
    'Mail server. Not set: mail stays in the outbox of the console.',
    url('smtp://', 'smtps://'),
  ),
  mailFrom: setting('FIGUREHEAD_MAIL_FROM', 'figurehead@localhost', mailAddress, 'Sender of mail.'),

  turnUrls: setting(
    'FIGUREHEAD_TURN_URLS',
    Object.freeze([]) as readonly string[],
    turnUrls,
    'TURN and STUN servers given to clients of streams, separated by commas.',
  ),
  turnSecret: secret('FIGUREHEAD_TURN_SECRET', 'Shared secret of the TURN servers, for credentials that expire.'),
  rtcPorts: optional(
    'FIGUREHEAD_RTC_PORTS',
    portRange,
    'UDP port for streams, shared by all sessions: a port such as 40000, or a range of which each stream host on this machine takes one. Not set: any free port.',
  ),
  rtcAddress: optional(
    'FIGUREHEAD_RTC_ADDRESS',
    ipAddress,
    'Public IP address of the stream host when it is behind NAT.',
  ),
  streamIdleSeconds: setting(
    'FIGUREHEAD_STREAM_IDLE_SECONDS',
    120,
    whole(1, 86_400),
    'Seconds without a render call after which a stream is closed.',
  ),
  livekitUrls: setting(
    'FIGUREHEAD_LIVEKIT_URLS',
    Object.freeze([]) as readonly string[],
    roomServers,
    'Addresses of the LiveKit servers whose rooms streams may join, separated by commas; private ones are allowed. Not set: all with a public address.',
  ),
  streamCapacity: optional(
    'FIGUREHEAD_STREAM_CAPACITY',
    whole(1, 1000),
    'Maximum number of streams per host. Not set: measured at start.',
  ),

  llmUrl: optional(
    'FIGUREHEAD_LLM_URL',
    webAddress,
    'Base URL of an OpenAI-compatible language model for outlines, translations and conversations. Not set: outlines are extracted from the source text.',
  ),
  llmKey: secret('FIGUREHEAD_LLM_KEY', 'Key of the language model.'),
  llmModel: setting('FIGUREHEAD_LLM_MODEL', 'gpt-4o-mini', text, 'Name of the language model.'),

  sttUrl: optional(
    'FIGUREHEAD_STT_URL',
    webAddress,
    'Base URL of an OpenAI-compatible speech recogniser (`/audio/transcriptions`) for conversations. Not set: an installed recogniser (`figurehead voices add whisper-base`).',
  ),
  sttKey: secret('FIGUREHEAD_STT_KEY', 'Key of the speech recogniser.'),
  sttModel: setting('FIGUREHEAD_STT_MODEL', 'whisper-1', text, 'Name of the recognition model.'),

  ...providerSettings(),
  naturalVoices: setting(
    'FIGUREHEAD_NATURAL_VOICES',
    true,
    flag,
    'Fetch a natural voice for the language of this machine in the background, about 100 MB, while the server has none; `off` prevents it.',
  ),
  voicesMirror: optional(
    'FIGUREHEAD_VOICES_MIRROR',
    text,
    'Folder of archives of natural voices, recognisers and their engine in place of the catalogue’s addresses: https://… or file:///….',
  ),
  presentersDir: optional('FIGUREHEAD_PRESENTERS', path, 'Folder of additional presenter packs.'),
  aliases: setting(
    'FIGUREHEAD_ALIASES',
    NO_ALIASES,
    aliases,
    'Maps voice and avatar ids of another system to yours: JSON or the path of a JSON file.',
  ),

  moderationWords: optional(
    'FIGUREHEAD_MODERATION_WORDS',
    wordFile,
    'File of words, one per line; in the moderation mode flagged, a video that contains one waits for review. Not set: a short English list.',
  ),
  credentialsCertificate: optional(
    'FIGUREHEAD_CREDENTIALS_CERTIFICATE',
    path,
    'PEM file of the certificate, with its chain, that signs the content credentials of films. Not set: the installation issues its own.',
  ),
  credentialsKey: optional(
    'FIGUREHEAD_CREDENTIALS_KEY',
    path,
    'PEM file of its private key: P-256, P-384, Ed25519 or RSA.',
  ),
  uploadMaxMb: setting('FIGUREHEAD_UPLOAD_MAX_MB', 500, whole(1, 100_000), 'Largest upload, in megabytes.'),
  requestTimeoutSeconds: setting(
    'FIGUREHEAD_REQUEST_TIMEOUT_SECONDS',
    30,
    whole(1, 3600),
    'Seconds after which a presentation import answers 206 and continues in the background.',
  ),
  workerConcurrency: setting(
    'FIGUREHEAD_WORKER_CONCURRENCY',
    1,
    whole(1, 64),
    'Videos one worker renders at a time; one video already uses every CPU.',
  ),
  encoder: setting(
    'FIGUREHEAD_ENCODER',
    'auto' as Encoder,
    oneOf('auto', 'cpu', 'nvenc'),
    'H.264 encoder of a worker: auto (an NVIDIA GPU if one works, otherwise the CPU), cpu, or nvenc (GPU required).',
  ),
  webhookAllowPrivate: setting(
    'FIGUREHEAD_WEBHOOK_ALLOW_PRIVATE',
    false,
    flag,
    'Allow webhooks to private and loopback addresses.',
  ),
  mediaAllowPrivate: setting(
    'FIGUREHEAD_MEDIA_ALLOW_PRIVATE',
    false,
    flag,
    'Allow pictures and music to be fetched from private and loopback addresses.',
  ),

  trustProxy: setting(
    'FIGUREHEAD_TRUST_PROXY',
    Object.freeze([]) as readonly string[],
    proxyAddresses,
    'Addresses or CIDR ranges of trusted reverse proxies, separated by commas; their X-Forwarded-For is used as the caller’s address.',
  ),
  connectionsPerAddress: setting(
    'FIGUREHEAD_CONNECTIONS_PER_ADDRESS',
    1000,
    whole(0, 1_000_000),
    'Maximum number of open connections from one address (IPv6: one /64) to one API process, except from FIGUREHEAD_TRUST_PROXY; 0 sets no limit.',
  ),
  strangersPerMinute: setting(
    'FIGUREHEAD_STRANGERS_PER_MINUTE',
    600,
    whole(0, 1_000_000),
    'Maximum number of sign-ins, missing or wrong tokens, and first uses of valid tokens per minute from one address (IPv6: one /64) to one API process; 0 sets no limit.',
  ),

  diskReserveMb: setting(
    'FIGUREHEAD_DISK_RESERVE_MB',
    1024,
    whole(0, 10_000_000),
    'Megabytes of free space on the data folder’s disk below which uploads are refused and renders wait.',
  ),
  renderDays: days(
    'FIGUREHEAD_RENDER_DAYS',
    0,
    'Days after which the files of a finished video are removed and the video becomes a draft again; 0 keeps them forever.',
  ),
  mediaDays: days(
    'FIGUREHEAD_MEDIA_DAYS',
    0,
    'Days after which an upload that no video uses is removed; 0 keeps it forever.',
  ),
  audioCacheDays: days(
    'FIGUREHEAD_AUDIO_CACHE_DAYS',
    30,
    'Days that synthesised speech stays in the cache; 0 keeps it forever.',
  ),
  cacheDays: days(
    'FIGUREHEAD_CACHE_DAYS',
    14,
    'Days that unused encoded segments and idle clips are kept, in the data folder and in the bucket; 0 keeps them forever.',
  ),
  deliveryLogDays: days(
    'FIGUREHEAD_DELIVERY_LOG_DAYS',
    30,
    'Days that ended webhook deliveries stay in the log; 0 keeps them forever.',
  ),
  mailLogDays: days(
    'FIGUREHEAD_MAIL_LOG_DAYS',
    90,
    'Days that mail stays in the outbox of the console; 0 keeps it forever.',
  ),
  streamLogDays: days(
    'FIGUREHEAD_STREAM_LOG_DAYS',
    90,
    'Days that records of closed streams and ended renders are kept (the ledger of minutes is always kept); 0 keeps them forever.',
  ),
  migrationCopies: setting(
    'FIGUREHEAD_MIGRATION_COPIES',
    3,
    whole(0, 100),
    'Number of copies of the embedded database to keep; one is made before each upgrade that changes it. 0 makes no copies.',
  ),
  databaseConnections: setting(
    'FIGUREHEAD_DATABASE_CONNECTIONS',
    10,
    whole(3, 1000),
    'Maximum number of database connections per process.',
  ),

  metricsPort: optional(
    'FIGUREHEAD_METRICS_PORT',
    whole(0, 65_534),
    'TCP port on which a worker or a stream host serves /metrics, /healthz and /readyz; with all roles on one machine the stream host takes the next port. Not set: only the API serves them.',
  ),
  metricsHost: setting(
    'FIGUREHEAD_METRICS_HOST',
    '127.0.0.1',
    text,
    'Address on which FIGUREHEAD_METRICS_PORT listens; use 0.0.0.0 in a container.',
  ),
  metricsToken: secret(
    'FIGUREHEAD_METRICS_TOKEN',
    'Bearer token required by /metrics. Not set: only programs on the same machine can read it.',
  ),
  otlpEndpoint: optional(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    webAddress,
    'OpenTelemetry collector (OTLP over HTTP, JSON) that receives traces of requests, jobs and renders.',
  ),
  otlpHeaders: setting(
    'OTEL_EXPORTER_OTLP_HEADERS',
    Object.freeze({}) as Readonly<Record<string, string>>,
    headerList,
    'Headers for the collector: name=value, separated by commas.',
    { secret: true },
  ),
  logDays: setting(
    'FIGUREHEAD_LOG_DAYS',
    7,
    whole(0, 3650),
    'Days that log files are kept in the data folder, for support bundles; 0 writes no files.',
  ),

  internalHost: setting(
    'FIGUREHEAD_INTERNAL_HOST',
    '127.0.0.1',
    text,
    'Address at which the API reaches this stream host; with several machines, an address in a private network.',
  ),
  internalPort: setting(
    'FIGUREHEAD_INTERNAL_PORT',
    0,
    whole(0, 65_535),
    'TCP port of the stream host for the API; 0 takes any free port.',
  ),
  internalSecret: secret(
    'FIGUREHEAD_INTERNAL_SECRET',
    'Secret shared by API and stream hosts. Not set: kept in the database.',
  ),
  logLevel: setting(
    'FIGUREHEAD_LOG_LEVEL',
    'info' as const,
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'),
    'Lowest level that is logged.',
  ),
  logFormat: setting(
    'FIGUREHEAD_LOG_FORMAT',
    'auto' as const,
    oneOf('auto', 'json', 'pretty'),
    'Log lines as JSON or human-readable; auto is pretty on a terminal.',
  ),
});
