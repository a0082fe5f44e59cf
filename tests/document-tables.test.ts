import { describe, expect, it } from 'vitest';
import { CODECS } from '../packages/contract/dist/document/codec.js';
import { rect } from '../packages/contract/dist/document/objects/rect.js';
import { OBJECTS } from '../packages/contract/dist/document/objects/table.js';
import { PROVIDERS } from '../packages/contract/dist/document/provider.js';

// The rows are added before the modules that read the tables are loaded.
Object.assign(OBJECTS, {
  hologram: { ...rect, label: 'Hologram', read: () => ({ type: 'hologram', glow: 3 }) },
});
Object.assign(CODECS, { mirage: { label: 'Mirage, WebM', container: 'webm', mark: 'V_MIRAGE', alpha: true } });
Object.assign(PROVIDERS, {
  robot: {
    label: 'Robot',
    needs: 'a robot',
    remedy: 'set FIGUREHEAD_ROBOT_KEY',
    settings: { apiKey: { key: 'FIGUREHEAD_ROBOT_KEY', kind: 'secret', meaning: 'Key of the robot.' } },
    required: [['apiKey']],
  },
});

describe('one row in a table of the document', () => {
  it('is parsed, validated and documented everywhere as an object type, a codec and a provider', async () => {
    const { parseDocument } = await import('@figurehead/contract/document');
    const { createOpenApi } = await import('../packages/server/src/kernel/http/openapi/openapi.js');
    const api = JSON.stringify(createOpenApi({ serverUrl: 'http://localhost', version: '1' }));
    for (const name of ['HologramObject', '"mirage"', '"robot"']) expect(api).toContain(name);
    const source = {
      slides: [{ canvas: { objects: [{ type: 'Hologram' }] } }],
      data: { codec: 'mirage', transparent: true },
    };
    const { document, problems } = parseDocument(source);
    expect(problems).toEqual([]);
    expect(document.slides[0]?.objects[0]).toMatchObject({ type: 'hologram', glow: 3, opacity: 1 });
    expect(document.data.codec).toBe('mirage');
  });

  it('is offered by the console', async () => {
    const { creatableTypes, newObject, optionsOf } = await import('@figurehead/sdk/document');
    const { namesOf } = await import('../packages/console/src/screens/editor/document.js');
    const type = creatableTypes().find((one) => OBJECTS[one].label === 'Hologram');
    expect(type).toBe('hologram');
    expect(namesOf([newObject(type ?? 'rect', { width: 640, height: 360 })])).toEqual(['Hologram']);
    expect(optionsOf(CODECS)).toContainEqual({ value: 'mirage', label: 'Mirage, WebM' });
  });

  it('reaches its implementation in the engine', async () => {
    const { IMPLEMENTATIONS, openSegmentEncoder } = await import(
      '../packages/media/src/encode/codecs/segment-encoder.js'
    );
    const { ENGINES } = await import('../packages/media/src/speech/catalogue.js');
    const { configurationPage, loadConfig, secretValues } = await import(
      '../packages/server/src/kernel/config/config.js'
    );
    const { openSpeech } = await import('../packages/server/src/features/voices/speech.js');
    const encoder = { extradata: Uint8Array.of(7), encode: () => [], finish: () => [], close: () => undefined };
    Object.assign(IMPLEMENTATIONS, { mirage: { open: () => encoder } });
    const settings = { codec: 'mirage', width: 64, height: 64, fps: 25, preset: 'fast', crf: 20, gopFrames: 50 };
    expect(openSegmentEncoder(settings as never)).toBe(encoder);
    const voice = { provider: 'robot', voice: 'r2' };
    const open = ({ config }: { config: object }) =>
      'robot' in config
        ? {
            provider: 'robot',
            voices: async () => [{ ...voice, ...(config.robot as object) }],
            close: async () => undefined,
          }
        : undefined;
    Object.assign(ENGINES, { robot: open });
    const origin = { env: { FIGUREHEAD_ROBOT_KEY: 'tin' }, cwd: '/' };
    expect(secretValues(origin)).toEqual(['tin']);
    expect(configurationPage()).toContain('| `FIGUREHEAD_ROBOT_KEY` |  | Key of the robot. (secret) |');
    const without = openSpeech(loadConfig({ env: {}, cwd: '/' }), {});
    expect(await without.voices()).not.toContainEqual(expect.objectContaining(voice));
    await without.close();
    const speech = openSpeech(loadConfig(origin), {});
    expect(await speech.voices()).toContainEqual({ ...voice, apiKey: 'tin' });
    await speech.close();
  });
});
