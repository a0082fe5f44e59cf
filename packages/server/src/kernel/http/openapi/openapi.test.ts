import { type Route, routes } from '@figurehead/contract';
import { describe, expect, it } from 'vitest';
import { createValidation } from '../validation.js';
import { ROUTE_NOTES } from './notes.js';
import { createOpenApi } from './openapi.js';

const document = createOpenApi({ serverUrl: 'https://video.example', version: '1.0.0' }) as {
  paths: Record<string, Record<string, Operation>>;
};
interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly requestBody?: { readonly content: Record<string, { readonly example?: unknown }> };
}

/** The operation of a route. */
function operationOf({ path, method }: Pick<Route, 'path' | 'method'>): Operation | undefined {
  return document.paths[path]?.[method.toLowerCase()];
}

describe('the documentation of the API', () => {
  it('says of each route more than its summary: what it does, who may call it, and how often', () => {
    const repeated = Object.values(routes as Record<string, Route>).filter((route) => {
      const { summary = '', description = '' } = operationOf(route) ?? {};
      return description.length < 20 || description.startsWith(summary);
    });
    expect(repeated.map(({ id }) => id)).toEqual([]);
    expect(operationOf(routes.renderVideo)?.description).toContain('The answer comes before the work.');
    expect(operationOf(routes.createVideo)?.description).toContain('Counts in the quota of videos');
    expect(operationOf(routes.signIn)?.description).toContain('Without credentials.');
  });

  it('has example bodies that the server accepts', () => {
    const all = routes as Record<string, Route>;
    const validation = createValidation();
    const invalid = Object.entries(ROUTE_NOTES).flatMap(([id, { example }]) => {
      const body = all[id]?.body;
      if (example === undefined || body === undefined) return [];
      try {
        validation.body(body)(structuredClone(example));
        return [];
      } catch (error) {
        return [[id, (error as { details: unknown }).details]];
      }
    });
    expect(invalid).toEqual([]);
    const shown = operationOf(routes.createVideo)?.requestBody?.content['application/json']?.example;
    expect(shown).toMatchObject({ name: 'Hello', slides: [{ id: 1 }] });
    const missing = Object.values(all).filter(
      ({ id, body, bodyOptional }) =>
        body !== undefined &&
        body['required']?.length > 0 &&
        !bodyOptional &&
        !ROUTE_NOTES[id as 'createVideo']?.example,
    );
    // These take pictures, sound or offers of a browser, which no text can stand for.
    expect(missing.map(({ id }) => id).sort()).toEqual([
      'addCandidate',
      'answerStream',
      'createAvatar',
      'createVoiceClone',
      'findLandmarks',
      'openPipecat',
      'tricklePipecat',
    ]);
  });
});
