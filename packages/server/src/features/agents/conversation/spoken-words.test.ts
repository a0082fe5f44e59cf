import { describe, expect, it } from 'vitest';
import { completeness, countSubstance, withoutNoise } from './spoken-words.js';

describe('words that decide whose turn it is', () => {
  it.each([
    ['en', 'Uh-huh.', 0],
    ['en', 'Mm-hmm. Yeah, okay!', 0],
    ['en', 'Right, I see.', 0],
    ['en', 'Yeah, but what about Sunday?', 4],
    ['en', 'No!', 1],
    ['en', 'Stop.', 1],
    ['de', 'Ach so, genau.', 0],
    ['de', 'Nein, am Sonntag.', 3],
    ['fr', "D'accord.", 0],
    ['ja', 'うん、そうですね。', 0],
    ['zh', '嗯，好的。', 0],
    ['zh', '星期天呢？', 1],
    ['xx', 'Hmm.', 0],
    ['xx', 'Yeah.', 1],
  ])('in %s, “%s” has at least %d words more than a back-channel', (language, text, least) => {
    const count = countSubstance(text, language);
    if (least === 0) expect(count).toBe(0);
    else expect(count).toBeGreaterThanOrEqual(least);
  });

  it.each([
    ['When do you open?', 1],
    ['It is “free”.', 1],
    ['Where is it from?', 1],
    ['When do you open', 0.5],
    ['Well...', 0.5],
    ['I would like to', 0],
    ['I would like to know.', 0],
    ['The museum and', 0],
    ['A ticket, um.', 0],
    ['', 0],
  ])('“%s” is complete to %d', (text, expected) => {
    expect(completeness(text, 'en')).toBe(expected);
  });

  it('are not the names of noises', () => {
    expect(withoutNoise('[BLANK_AUDIO]')).toBe('');
    expect(withoutNoise('♪ (music playing) ♪')).toBe('');
    expect(withoutNoise('*coughs* Hello (again')).toBe('Hello (again');
  });
});
