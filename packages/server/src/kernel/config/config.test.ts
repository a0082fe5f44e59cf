import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ConfigError, describeConfig, loadConfig } from './config.js';

const cwd = mkdtempSync(join(tmpdir(), 'fh-config-'));
afterAll(() => rmSync(cwd, { recursive: true }));

function problemsOf(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    loadConfig({ env, cwd });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('the configuration', () => {
  test('has a default for everything and is frozen', () => {
    const config = loadConfig({ env: {}, cwd });
    expect(config).toMatchObject({
      port: 8080,
      url: 'http://localhost:8080',
      dataDir: join(cwd, '.figurehead'),
      uploadMaxMb: 500,
      streamIdleSeconds: 120,
      webhookAllowPrivate: false,
      turnUrls: [],
      aliases: { voices: {}, avatars: {} },
    });
    expect(config.databaseUrl).toBeUndefined();
    expect(Object.isFrozen(config)).toBe(true);
  });

  test('reads every kind of value', () => {
    const config = loadConfig({
      env: {
        PORT: '9000',
        FIGUREHEAD_URL: 'https://talk.example.org/',
        FIGUREHEAD_DATA: 'somewhere',
        FIGUREHEAD_RTC_PORTS: '40000-40100',
        FIGUREHEAD_TURN_URLS: 'turn:a.example:3478, turns:b.example:5349?transport=tcp',
        FIGUREHEAD_WEBHOOK_ALLOW_PRIVATE: '1',
        FIGUREHEAD_ALIASES: '{"voices":{"elevenlabs:abc":"flite:slt"},"avatars":{"vadim":"marcus"}}',
        FIGUREHEAD_LOG_LEVEL: '',
      },
      cwd,
    });
    expect(config).toMatchObject({
      port: 9000,
      url: 'https://talk.example.org',
      dataDir: join(cwd, 'somewhere'),
      rtcPorts: { from: 40_000, to: 40_100 },
      turnUrls: ['turn:a.example:3478', 'turns:b.example:5349?transport=tcp'],
      webhookAllowPrivate: true,
      aliases: { voices: { 'elevenlabs:abc': 'flite:slt' }, avatars: { vadim: 'marcus' } },
      logLevel: 'info',
    });
  });

  test('names all problems at once', () => {
    const problems = problemsOf({
      PORT: 'http',
      FIGUREHEAD_URL: 'localhost:80',
      FIGUREHEAD_RTC_PORTS: '50-40',
      FIGUREHEAD_RTC_ADDRESS: 'talk.example.org',
      FIGUREHEAD_ALIASES: '{"voice":{}}',
      FIGUREHEAD_S3_BUCKET: 'b',
      FIGUREHEAD_S3_ACCESS_KEY: 'k',
      FIGUREHEAD_AZURE_SPEECH_KEY: 'k',
      FIGUREHEAD_MAIL_FROM: 'a@b\nBcc: c@d',
    });
    expect(problems).toHaveLength(8);
    expect(problems.join('\n')).toContain('PORT must be a whole number from 0 to 65535, not "http".');
    expect(problems.join('\n')).toContain('FIGUREHEAD_URL must start with http:// or https://');
    expect(problems.join('\n')).toContain('FIGUREHEAD_ALIASES must only have "voices" and "avatars", not "voice".');
    expect(problems.join('\n')).toContain('FIGUREHEAD_S3_SECRET_KEY');
  });

  // Proves: D.names.1, D.operating.3
  test('refuses an unknown key and suggests a similar one', () => {
    expect(problemsOf({ FIGUREHEAD_SMTP_ULR: 'x' })).toEqual([
      'FIGUREHEAD_SMTP_ULR is an unknown setting; did you mean FIGUREHEAD_SMTP_URL?',
    ]);
    expect(problemsOf({ FIGUREHEAD_PORT: '1' })[0]).toContain('did you mean PORT?');
    expect(problemsOf({ FIGUREHEAD_QQQQQQQQQQ: 'x' })[0]).toContain('see `figurehead config`');
    expect(problemsOf({ OTHER_PROGRAM: 'x' })).toEqual([]);
  });

  test('never repeats a secret', () => {
    const env = { DATABASE_URL: 'mysql://u:hunter2@h/d', FIGUREHEAD_SMTP_URL: 'http://u:hunter2@h' };
    expect(problemsOf(env)).toHaveLength(2);
    expect(problemsOf(env).join()).not.toContain('hunter2');
    const lines = describeConfig({ env: { DATABASE_URL: 'postgres://u:hunter2@h/d' }, cwd });
    expect(JSON.stringify(lines)).not.toContain('hunter2');
    expect(lines.find((line) => line.key === 'DATABASE_URL')).toMatchObject({
      value: '********',
      source: 'environment',
    });
  });

  // Proves: D.operating.3
  test('reads .env, which the environment overrides, and names the source of each value', () => {
    writeFileSync(join(cwd, '.env'), 'PORT=7000\nFIGUREHEAD_UPLOAD_MAX_MB=20 # small\n');
    const origin = { env: { PORT: '7001' }, cwd };
    expect(loadConfig(origin)).toMatchObject({ port: 7001, uploadMaxMb: 20 });
    const sources = Object.fromEntries(describeConfig(origin).map((line) => [line.key, [line.value, line.source]]));
    expect(sources).toMatchObject({
      PORT: ['7001', 'environment'],
      FIGUREHEAD_UPLOAD_MAX_MB: ['20', '.env'],
      FIGUREHEAD_STREAM_IDLE_SECONDS: ['120', 'default'],
    });
    rmSync(join(cwd, '.env'));
  });

  test('has no aliases for names that every object inherits', () => {
    for (const set of ['', '{"voices":{"a:b":"flite:slt"},"avatars":{"vadim":"marcus"}}']) {
      const { voices, avatars } = loadConfig({ env: { FIGUREHEAD_ALIASES: set }, cwd }).aliases;
      for (const name of ['__proto__', 'constructor', 'toString']) {
        expect([voices[name], avatars[name]]).toEqual([undefined, undefined]);
      }
    }
  });

  // Proves: D.voices.5
  test('reads aliases from a file', () => {
    writeFileSync(join(cwd, 'aliases.json'), '{"avatars":{"vadim":"marcus"}}');
    expect(loadConfig({ env: { FIGUREHEAD_ALIASES: 'aliases.json' }, cwd }).aliases.avatars).toEqual({
      vadim: 'marcus',
    });
    expect(problemsOf({ FIGUREHEAD_ALIASES: 'missing.json' })[0]).toContain('missing.json cannot be read');
  });

  // Proves: D.operating.14
  test('reads moderation words from a file, one per line', () => {
    writeFileSync(join(cwd, 'words.txt'), '\uFEFF# ours\r\nActa Diurna\r\n\r\n  Straße \n');
    const words = (file: string) => loadConfig({ env: { FIGUREHEAD_MODERATION_WORDS: file }, cwd }).moderationWords;
    expect(words('words.txt')).toEqual(['Acta Diurna', 'Straße']);
    expect(loadConfig({ env: {}, cwd }).moderationWords).toBeUndefined();
    writeFileSync(join(cwd, 'words.txt'), '# nothing\n');
    expect(problemsOf({ FIGUREHEAD_MODERATION_WORDS: 'words.txt' })[0]).toContain('has none');
    expect(problemsOf({ FIGUREHEAD_MODERATION_WORDS: 'missing.txt' })[0]).toContain('missing.txt cannot be read');
  });
});
