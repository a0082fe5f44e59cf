import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFolderStore } from '../folder-store.js';
import { openFonts, parseDocument } from '../scene/index.js';
import { createSpeech } from '../speech/index.js';
import type { RenderJob } from './contract.js';
import { planDocument, renderDocument } from './render-document.js';
import { openSegmentCache } from './segments/segment-cache.js';
import type { SegmentCache } from './segments/segments.js';
import type { SlideSpan } from './spans.js';
import { joinSpans, type RenderedSpan, renderSpan, shareDocument } from './spread.js';

const PACK = fileURLToPath(new URL('../../../../presenters/packs/nora', import.meta.url));

/** Over ninety seconds, mostly still; the presenter, an entrance and a transition are at the edges of spans. */
const VIDEO = {
  data: { format: '16_9', resolution: '720p', subtitlesEnabled: true, seed: 7 },
  slides: [
    slide(1, { speech: 'One.', avatar: { code: 'nora' } }),
    slide(2, { duration: 30 }),
    slide(3, { duration: 29, animation: 'fade_in', transition: 'fade' }),
    slide(4, { speech: 'Two, three.', avatar: { code: 'nora' } }),
    slide(5, { duration: 31, transition: 'slide_left' }),
  ],
};

function slide(id: number, fields: object) {
  const text = { type: 'textbox', left: 40, top: 40, width: 400, text: `Slide ${id}`, fontSize: 40, fill: '#203040' };
  return {
    id,
    speech: '',
    voice: 'slt',
    voiceProvider: 'flite',
    canvas: { objects: [text], background: '#f4efe6', version: '5' },
    ...fields,
  };
}

describe('a spread video', () => {
  let folder: string;
  const speech = createSpeech({ threads: 1 });
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fh-spread-'));
  });
  afterAll(async () => {
    await speech.close();
    await rm(folder, { recursive: true });
  });

  /** A job in its own folder, as on a separate worker, with a shared cache. */
  async function job(segments: SegmentCache, video: object = VIDEO): Promise<RenderJob> {
    const store = (name: string) => openFolderStore(join(folder, name), { maxBytes: 1e8 });
    return {
      ...parseDocument(video),
      resources: {
        speech,
        fonts: () => openFonts(),
        resolveVoice: async () => ({ provider: 'flite', voice: 'slt', locale: 'en-US' }),
        resolvePack: async () => ({ folder: PACK, version: '1' }),
        assets: { picture: async () => Buffer.alloc(0), file: async () => '' },
        caches: async () => ({ segments, drawings: await store('drawings'), speech: await store('speech') }),
        threads: 1,
      },
      output: await mkdtemp(join(folder, 'run-')),
      signal: new AbortController().signal,
    };
  }

  const sha = async (file: string) =>
    createHash('sha256')
      .update(await readFile(file))
      .digest('hex');

  it('equals the video of a single worker byte for byte, also when the cache has lost a part of it', async () => {
    const alone = await openSegmentCache(join(folder, 'alone'), { maxBytes: 1e9 });
    const whole = await renderDocument(await job(alone));

    const shared = await openSegmentCache(join(folder, 'shared'), { maxBytes: 1e9 });
    const planner = await job(shared);
    const plan = await planDocument(planner);
    expect(plan.spans.length).toBeGreaterThan(2);
    const files = await shareDocument(planner, plan);
    // Spans may be rendered in any order by any worker.
    const rendered: (SlideSpan & RenderedSpan)[] = [];
    for (const span of [...plan.spans].reverse()) {
      rendered.unshift({ ...span, ...(await renderSpan(await job(shared), { plan: files.plan, span })) });
    }
    const joined = await joinSpans(await job(shared), { ...files, spans: rendered });
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

    // Nearly everything is in the cache, so a single span is planned and pictures and sound are reused unchanged.
    const changed = VIDEO.slides.map((each) => (each.id === 3 ? { ...each, ...slide(3, { duration: 30 }) } : each));
    expect((await planDocument(await job(shared, { ...VIDEO, slides: changed }))).spans).toHaveLength(1);
    const replanner = await job(shared);
    const again = await planDocument(replanner);
    expect(again.spans).toHaveLength(1);
    const { video, report } = await renderDocument(replanner, again);
    expect(report.reusedSegments).toBe(report.segments);
    expect(await sha(video)).toBe(await sha(whole.video));

    const kept = await readdir(join(folder, 'shared'));
    const lost = kept.find((name) => name.startsWith(rendered[1]?.segments[0]?.key ?? '?'));
    await rm(join(folder, 'shared', lost ?? ''));
    const mended = await joinSpans(await job(shared), { ...files, spans: rendered });
    expect(await sha(mended.video)).toBe(await sha(whole.video));
  });
});
