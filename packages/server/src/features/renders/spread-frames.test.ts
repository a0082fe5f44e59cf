import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSpeech, openFolderStore, openFonts, openSegmentCache, type SegmentCache } from '@figurehead/media';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../config.js';
import { createPresenters } from '../avatars/index.js';
import {
  createPipeline,
  type FrozenVideo,
  type RenderContext,
  type RenderedSpan,
  type RenderPipeline,
  type SlideSpan,
} from './index.js';

/** Ninety-odd seconds, most of them still; the presenter, an entrance and a transition lie at the edges of spans. */
const VIDEO: FrozenVideo = {
  workspaceId: 'w',
  videoId: 'v',
  name: 'spread',
  fitTextBox: false,
  data: { format: '16_9', resolution: '720p', subtitlesEnabled: true, seed: 7 },
  slides: [
    slide(1, { speech: 'One.', avatar: { code: 'nora' } }),
    slide(2, { duration: 30 }),
    slide(3, { duration: 29, animation: 'fade_in', transition: 'fade' }),
    slide(4, { speech: 'Two, three.', avatar: { code: 'nora' } }),
    slide(5, { duration: 31, transition: 'slide_left' }),
  ],
};

function slide(id: number, fields: object): FrozenVideo['slides'][number] {
  const text = { type: 'textbox', left: 40, top: 40, width: 400, text: `Slide ${id}`, fontSize: 40, fill: '#203040' };
  return {
    id,
    speech: '',
    voice: 'slt',
    voiceProvider: 'flite',
    canvas: { objects: [text], background: '#f4efe6', version: '5' },
    ...fields,
  } as FrozenVideo['slides'][number];
}

describe('a spread video', () => {
  let folder: string;
  const pipelines: RenderPipeline[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fh-spread-'));
  });
  afterAll(async () => {
    await Promise.all(pipelines.map((pipeline) => pipeline.close()));
    await rm(folder, { recursive: true });
  });

  /** A worker of its own, with the cache that it is given. */
  function worker(cache: SegmentCache): RenderPipeline {
    const avatars = createPresenters({ config: loadConfig({ env: {}, cwd: folder }) });
    const pipeline = createPipeline({
      speech: createSpeech({ threads: 1 }),
      fonts: () => openFonts(),
      resolveVoice: async () => ({ provider: 'flite', voice: 'slt', locale: 'en-US' }),
      resolvePack: (workspaceId, code) => avatars.resolve(workspaceId, code),
      assets: () => ({
        picture: async () => Buffer.alloc(0),
        file: async () => '',
      }),
      cache: async () => cache,
      kept: async () => ({
        drawings: await openFolderStore(join(folder, 'drawings'), { maxBytes: 1e8 }),
        speech: await openFolderStore(join(folder, 'speech'), { maxBytes: 1e8 }),
      }),
      threads: 1,
    });
    pipelines.push(pipeline);
    return pipeline;
  }

  async function context(): Promise<RenderContext> {
    const own = await mkdtemp(join(folder, 'run-'));
    return { folder: own, signal: new AbortController().signal, onProgress: () => undefined };
  }

  const sha = async (file: string) =>
    createHash('sha256')
      .update(await readFile(file))
      .digest('hex');

  it('is byte for byte the video that one worker makes, also when the cache has lost a part of it', async () => {
    const alone = worker(await openSegmentCache(join(folder, 'alone'), { maxBytes: 1e9 }));
    const whole = await alone.render(VIDEO, await context());

    const shared = await openSegmentCache(join(folder, 'shared'), { maxBytes: 1e9 });
    const [planner, first, second, joiner] = [worker(shared), worker(shared), worker(shared), worker(shared)];
    const prepared = await planner.prepare(VIDEO, await context());
    expect(prepared.spans.length).toBeGreaterThan(2);
    const files = await prepared.share();
    // In any order, by whomever.
    const rendered: (SlideSpan & RenderedSpan)[] = [];
    for (const [n, span] of [...prepared.spans.entries()].reverse()) {
      const result = await (n % 2 === 0 ? first : second).renderSpan(
        VIDEO,
        { score: files.score, span },
        await context(),
      );
      rendered.unshift({ ...span, ...result });
    }
    const joined = await joiner.join(VIDEO, { ...files, spans: rendered }, await context());
    const facts = ({ durationSeconds, report: { frames, segments, contentHash } }: typeof whole) => ({
      frames,
      durationSeconds,
      segments,
      contentHash,
    });
    expect(facts(joined)).toEqual(facts(whole));
    expect(await sha(joined.video)).toBe(await sha(whole.video));
    expect(await sha(joined.thumbnailJpeg)).toBe(await sha(whole.thumbnailJpeg));
    expect(await readFile(joined.vtt, 'utf8')).toBe(await readFile(whole.vtt, 'utf8'));

    // Where nearly everything is kept, nobody else need be asked; pictures and sound come from the cache as they are.
    const changed = VIDEO.slides.map((each) => (each.id === 3 ? { ...each, ...slide(3, { duration: 30 }) } : each));
    expect((await planner.prepare({ ...VIDEO, slides: changed }, await context())).spans).toHaveLength(1);
    const again = await planner.prepare(VIDEO, await context());
    expect(again.spans).toHaveLength(1);
    const { video, report } = await again.finish();
    expect(report.reusedSegments).toBe(report.segments);
    expect(await sha(video)).toBe(await sha(whole.video));

    const kept = await readdir(join(folder, 'shared'));
    const lost = kept.find((name) => name.startsWith(rendered[1]?.segments[0]?.key ?? '?'));
    await rm(join(folder, 'shared', lost ?? ''));
    const mended = await joiner.join(VIDEO, { ...files, spans: rendered }, await context());
    expect(await sha(mended.video)).toBe(await sha(whole.video));
  });
});
