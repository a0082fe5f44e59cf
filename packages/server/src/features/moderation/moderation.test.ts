import { describe, expect, it } from 'vitest';
import { expectLinearIn } from '../../../../../tests/support/growth.js';
import type { FrozenVideo } from '../renders/index.js';
import { createReview } from './index.js';

const flagged = { moderation: 'flagged' } as const;

/** A video whose speech is `speech`. */
function saying(speech: string, objects: object[] = [], name = 'Plain'): FrozenVideo {
  const canvas = { objects: objects as { type: string }[] };
  return { workspaceId: 'w', videoId: 'v', name, data: {}, slides: [{ id: 1, speech, canvas }], fitTextBox: false };
}

describe('the review of a rendered video', () => {
  // Proves: D.operating.8
  it('holds no videos, all, or those with listed words, depending on the workspace’s mode', () => {
    const review = createReview();
    expect(review({ moderation: 'off' }, saying('a bomb'))).toEqual({ held: false, words: [] });
    expect(review({ moderation: 'all' }, saying('a flower'))).toEqual({ held: true, words: [] });
    expect(review(flagged, saying('a flower'))).toEqual({ held: false, words: [] });
    expect(review(flagged, saying('Bombs, murder and a bomb.'))).toEqual({ held: true, words: ['bomb', 'murder'] });
  });

  it('searches the name and canvas texts, including groups', () => {
    const review = createReview();
    const group = { type: 'group', objects: [{ type: 'textbox', text: 'MURDER' }, null, 7] };
    expect(review(flagged, saying('', [group])).words).toEqual(['murder']);
    expect(review(flagged, saying('', [], 'Heroin')).words).toEqual(['heroin']);
  });

  // Proves: D.operating.14
  it('uses the operator’s words instead of the built-in ones, with any characters', () => {
    const review = createReview(['C++', 'Acta Diurna', 'a.b', 'über-', 'Straße', 'x]y\\d', '禁止']);
    expect(review(flagged, saying('a bomb')).held).toBe(false);
    expect(review(flagged, saying('Learn C++ now.')).words).toEqual(['c++']);
    expect(review(flagged, saying('the acta\n  DIURNA of Rome')).words).toEqual(['acta diurna']);
    expect(review(flagged, saying('axb')).held).toBe(false);
    expect(review(flagged, saying('x]y\\d')).words).toEqual(['x]y\\d']);
    expect(review(flagged, saying('ＳＴＲＡßＥ')).words).toEqual(['straße']);
    expect(review(flagged, saying('这里禁止吸烟')).words).toEqual(['禁止']);
  });

  it('finds whole words only', () => {
    const review = createReview();
    expect(review(flagged, saying('A skilled methodical drapery shop in Grape Street.')).words).toEqual([]);
    expect(review(flagged, saying('the bombing')).words).toEqual(['bombing']);
  });

  it('searches a long text for a hundred thousand words in linear time', async () => {
    await expectLinearIn(100_000, (count) => {
      const review = createReview(Array.from({ length: count }, (_, index) => `word${index}x`));
      const last = `word${count - 1}x`;
      const video = saying(`${'lorem ipsum '.repeat(count / 2)} ${last}`);
      return () => expect(review(flagged, video).words).toEqual([last]);
    });
  });
});
