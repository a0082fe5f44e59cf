import { describe, expect, it } from 'vitest';
import { speakableText } from './speech.js';

describe('speakableText', () => {
  it('replaces control and invisible characters by spaces and keeps markup', () => {
    expect(speakableText('a\u0000b\u001b[0m \u202e<b>c</b>\n')).toBe('a b [0m  <b>c</b>');
    expect(speakableText('می\u200cخواهم')).toBe('می\u200cخواهم');
    expect(speakableText(' \u200b\t\u0007 ')).toBeUndefined();
  });
});
