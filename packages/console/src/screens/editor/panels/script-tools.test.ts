import { describe, expect, it } from 'vitest';
import { scriptSeconds } from '../../../lib/speech-time.js';
import { type Script, withEmphasis, withPause } from './script-tools.js';

/** A script whose selection is between the bars. */
function script(marked: string): Script {
  const [before = '', chosen = '', after = ''] = marked.split('|');
  return { text: before + chosen + after, start: before.length, end: before.length + chosen.length };
}

const shown = ({ text, start, end }: Script) => `${text.slice(0, start)}|${text.slice(start, end)}|${text.slice(end)}`;

describe('script tools', () => {
  it('emphasise the selection without its spaces, or the word at the cursor', () => {
    expect(withEmphasis(script('Our| revenue |grew.'))).toEqual(script('Our |<emphasis>revenue</emphasis>| grew.'));
    expect(withEmphasis(script('Our reve||nue grew.'))).toEqual(script('Our |<emphasis>revenue</emphasis>| grew.'));
    expect(withEmphasis(script('Our revenue grew. || '))).toBeUndefined();
  });

  it('take the emphasis away when the same selection is emphasised again, and never nest it', () => {
    const once = withEmphasis(script('Our |revenue| grew.'));
    const twice = once && withEmphasis(once);
    expect(twice && shown(twice)).toBe('Our |revenue| grew.');
    expect(withEmphasis(script('|Our <emphasis>revenue</emphasis> grew|.'))?.text).toBe(
      '<emphasis>Our revenue grew</emphasis>.',
    );
  });

  it('insert a pause behind the selection, with one space on both sides', () => {
    expect(shown(withPause(script('First.|| Then.')))).toBe('First. <break time="0.5s"/> ||Then.');
    expect(withPause(script('||Then.')).text).toBe('<break time="0.5s"/> Then.');
  });

  it('count pauses, not tags, into the estimated length', () => {
    const plain = scriptSeconds('First this. Then that, and then something else again.');
    expect(
      scriptSeconds('First <emphasis>this</emphasis>. <break time="1.5s"/> Then that, and then something else again.'),
    ).toBe(plain + 1.5);
    expect(scriptSeconds('First this. <break time="250ms"/> Then that, and then something else again.')).toBe(
      plain + 0.25,
    );
    expect(scriptSeconds('')).toBe(0);
  });
});
