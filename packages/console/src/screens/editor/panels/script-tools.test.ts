import { scriptSeconds } from '@figurehead/sdk/document';
import { describe, expect, it } from 'vitest';
import { type Script, withEmphasis, withPause } from './script-tools.js';

/** A script whose selection is between the bars. */
function script(marked: string): Script {
  const [before = '', chosen = '', after = ''] = marked.split('|');
  return { text: before + chosen + after, start: before.length, end: before.length + chosen.length };
}

const bars = ({ text, start, end }: Script) => `${text.slice(0, start)}|${text.slice(start, end)}|${text.slice(end)}`;
/** A script after emphasis, its selection between bars. */
function shown(before: Script): string {
  const after = withEmphasis(before);
  return after ? bars(after) : '';
}

describe('script tools', () => {
  it('emphasise the selection without its spaces, or the word at the cursor, in a script that becomes SSML', () => {
    const emphasised = '<speak>Our |<emphasis>revenue</emphasis>| grew.</speak>';
    expect(shown(script('Our| revenue |grew.'))).toBe(emphasised);
    expect(shown(script('Our reve||nue grew.'))).toBe(emphasised);
    expect(withEmphasis(script('Our revenue grew. || '))).toBeUndefined();
    expect(withEmphasis(script('Our <br||eak time="1s"/> revenue'))).toBeUndefined();
    expect(shown(script('R&D: |a < b| <break time="1s"/>'))).toBe(
      '<speak>R&amp;D: |<emphasis>a &lt; b</emphasis>| <break time="1s"/></speak>',
    );
  });

  it('take the emphasis away when the same selection is emphasised again, and never nest it', () => {
    for (const plain of ['Our |revenue| grew.', 'R&D: |a < b| <break time="1s"/>']) {
      const once = withEmphasis(script(plain));
      expect(once && shown(once)).toBe(plain);
    }
    expect(shown(script('<speak>|Our <emphasis>revenue</emphasis> grew|.</speak>'))).toBe(
      '<speak>|<emphasis>Our revenue grew</emphasis>|.</speak>',
    );
    expect(shown(script('<speak>|<emphasis>Our</emphasis>| <sub alias="x">y</sub>.</speak>'))).toBe(
      '<speak>|Our| <sub alias="x">y</sub>.</speak>',
    );
  });

  it('insert a pause behind the selection, with one space on both sides', () => {
    expect(bars(withPause(script('First.|| Then.')))).toBe('First. <break time="0.5s"/> ||Then.');
    expect(withPause(script('<speak>First.</speak>||')).text).toBe('<speak>First. <break time="0.5s"/> </speak>');
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
    // Without spaces between the words.
    expect(scriptSeconds('こんにちは。これから安全衛生に関する研修を始めます。')).toBeGreaterThan(2);
  });
});
