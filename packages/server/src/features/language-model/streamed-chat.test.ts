import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LanguageModel, openLanguageModel, type Reply } from '../../../../../tests/support/language-model.js';
import { createSafeFetch } from '../../kernel/network/fetch.js';
import { ModelError } from './chat.js';
import { openStreamedChat } from './streamed-chat.js';

describe('a streamed chat', () => {
  let model: LanguageModel;
  beforeAll(async () => {
    model = await openLanguageModel();
  });
  afterAll(() => model.close());

  /** The text, its pieces and the calls of one answer. */
  async function answer(reply: Reply, url = model.url) {
    model.script(() => reply);
    const pieces: string[] = [];
    const chat = openStreamedChat({ fetch: createSafeFetch(), url, key: undefined, model: 'm' });
    const calls = await chat.answer({
      messages: [{ role: 'user', content: 'Hello?' }],
      tools: [],
      model: null,
      temperature: null,
      signal: new AbortController().signal,
      onText: (piece) => pieces.push(piece),
    });
    return {
      text: pieces.join(''),
      pieces,
      calls: calls.map(({ name, arguments: given }) => [name, given]),
      ids: calls,
    };
  }
  const written = (...contents: unknown[]) => ({ deltas: contents.map((content) => ({ content })) });
  const called = (...parts: object[]) => ({ deltas: parts.map((part) => ({ tool_calls: [part] })) });

  it.each([
    ['whole', ['<think>Hm, 5 < 7.</think>At nine.'], 'At nine.'],
    [
      'split at every character',
      [...'<think>Hm <b> [x] </thin no </think>At <b>nine</b> [or ten].'],
      'At <b>nine</b> [or ten].',
    ],
    ['between parts of an answer', ['At nine. <THINKING>hm', 'm</Thinking>And at ten.'], 'At nine. And at ten.'],
    ['in brackets', ['[TH', 'INK]Hm.[/THI', 'NK]At nine.'], 'At nine.'],
    ['whose opening tag the template wrote', ['Hm.</think>At nine.'], 'At nine.'],
    ['without an end', ['At nine.<think>Hm', '.'], 'At nine.'],
    ['but not what only begins like one', ['a <', ' b, <thin'], 'a < b, <thin'],
    ['of Kimi', ['◁thi', 'nk▷Hm.◁/think▷At nine.'], 'At nine.'],
    ['of Command', ['<|START_THINKING|>Hm.<|END_THINKING|>At nine.'], 'At nine.'],
    ['of OpenThinker', [...'<|begin_of_thought|>Hm.<|end_of_thought|>At nine.'], 'At nine.'],
    [
      'of gpt-oss',
      [...'<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>At nine.<|return|>'],
      'At nine.',
    ],
    ['and the signs of a template', ['At nine.<|im', '_end|>\n<|im_start|>assistant</s>'], 'At nine.\n'],
  ])('leaves out thoughts %s', async (_what, contents, text) => {
    expect((await answer(written(...contents))).text).toBe(text);
  });

  it('passes text on as soon as it cannot be a tag', async () => {
    expect((await answer(written('At', ' nine <', 'b', '> or ten'))).pieces).toEqual([
      'At',
      ' nine ',
      '<b',
      '> or ten',
    ]);
  });

  it('ignores thoughts in fields and parts of their own, and reads content in parts', async () => {
    const deltas = [
      { reasoning_content: 'Hm.', content: null },
      { reasoning: 'Hm.', content: '' },
      { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }], text: 'Hm.' }] },
      { content: [{ type: 'text', text: 'At ' }, 'nine', { text: '.' }] },
    ];
    expect((await answer({ deltas })).text).toBe('At nine.');
  });

  it.each([
    [
      'an index for each',
      [
        { index: 0, id: 'x' },
        { index: 1, id: 'y' },
      ],
    ],
    [
      'one index for both',
      [
        { index: 0, id: 'x' },
        { index: 0, id: 'y' },
      ],
    ],
    ['one index and no id', [{ index: 0 }, { index: 0 }]],
    ['no index', [{ id: 'x' }, { id: 'y' }]],
    ['neither index nor id', [{}, {}]],
    [
      'an index and one id for both',
      [
        { index: 0, id: 'x' },
        { index: 1, id: 'x' },
      ],
    ],
  ])('keeps two calls of one tool apart that have %s', async (_what, [first, second]) => {
    const { calls, ids } = await answer(
      called(
        { ...first, function: { name: 'price', arguments: '{"day":' } },
        { ...first, function: { arguments: '"Sunday"}' } },
        { ...second, function: { name: 'price', arguments: '{"day":' } },
        { ...second, function: { arguments: '"Monday"}' } },
      ),
    );
    expect(calls).toEqual([
      ['price', '{"day":"Sunday"}'],
      ['price', '{"day":"Monday"}'],
    ]);
    expect(new Set(ids.map(({ id }) => id)).size).toBe(2);
  });

  it.each([
    ['repeated', ['price', 'price', 'price']],
    ['in pieces', ['pr', 'ice', '']],
    ['growing', ['pr', 'price', 'price']],
  ])('reads a name that is %s', async (_what, names) => {
    const parts = ['', '', '{"day":"Sunday"}'];
    const { calls } = await answer(
      called(...names.map((name, at) => ({ index: 0, id: 'x', function: { name, arguments: parts[at] } }))),
    );
    expect(calls).toEqual([['price', '{"day":"Sunday"}']]);
  });

  it('keeps calls of other tools apart, and reads arguments as an object', async () => {
    const { calls } = await answer(
      called(
        { index: 0, function: { name: 'price', arguments: { day: 'Sunday' } } },
        { index: 0, function: { name: 'open', arguments: {} } },
        { index: 0, function: { name: 'open', arguments: null } },
      ),
    );
    expect(calls).toEqual([
      ['price', '{"day":"Sunday"}'],
      ['open', '{}'],
    ]);
  });

  it.each([
    ['of Hermes', ['Let me look. <tool_', 'call>\n{"name":"price","arguments":{"day":"Sunday"}}\n</tool_call>']],
    ['of Mistral', ['Let me look. [TOOL_CALLS][{"name":"price","arguments":{"day":"Sunday"}}]']],
    ['of Llama', ['Let me look. <|python_tag|>{"name":"price","parameters":{"day":"Sunday"}}<|eom_id|>']],
  ])('reads calls that a server left in the text, in the form %s', async (_what, contents) => {
    expect(await answer(written(...contents))).toMatchObject({
      text: 'Let me look. ',
      calls: [['price', '{"day":"Sunday"}']],
    });
  });

  it.each([
    ['as the only call, not in a list', { tool_calls: { function: { name: 'price', arguments: '{"day":"Sunday"}' } } }],
    ['in the field before tools', { function_call: { name: 'price', arguments: '{"day":"Sunday"}' } }],
    [
      'with arguments as JSON in JSON',
      { tool_calls: [{ function: { name: 'price', arguments: '"{\\"day\\":\\"Sunday\\"}"' } }] },
    ],
  ])('reads a call %s', async (_what, delta) => {
    expect((await answer({ deltas: [delta] })).calls).toEqual([['price', '{"day":"Sunday"}']]);
  });

  it('reads arguments that arrive from their beginning in every part', async () => {
    const parts = ['{"day"', '{"day":"Sun', '{"day":"Sunday"}'];
    const { calls } = await answer(
      called(...parts.map((each) => ({ index: 0, id: 'x', function: { name: 'price', arguments: each } }))),
    );
    expect(calls).toEqual([['price', '{"day":"Sunday"}']]);
  });

  it.each([
    ['a JSON object a line', '{"message":{"content":"At "}}\n{"message":{"content":"nine."},"done":true}\n'],
    [
      'events without the space, with CR LF and notes',
      ': wait\r\n\r\nevent: message\r\ndata:{"choices":[{"delta":{"content":"At nine."}}]}\r\n\r\n',
    ],
    ['a last event without an empty line', 'data: {"choices":[{"delta":{"content":"At nine."}}]}'],
    ['completions', 'data: {"choices":[{"text":"At nine."}]}\n\ndata: [DONE]\n\n'],
    ['a refusal', '{"choices":[{"message":{"content":null,"refusal":"At nine."}}]}'],
  ])('reads %s', async (_what, body) => {
    expect((await answer({ status: 200, body })).text).toBe('At nine.');
  });

  it.each([
    ['of its own kind', 'data: {"object":"error","message":"out of memory"}\n\n'],
    ['as an event', 'event: error\ndata: {"message":"out of memory"}\n\n'],
    ['a line', '{"message":{"content":"At"}}\n{"error":"out of memory"}\n'],
  ])('fails at an error %s', async (_what, body) => {
    await expect(answer({ status: 200, body })).rejects.toThrow('failed during');
  });

  it('reads the JSON object of a server that does not stream', async () => {
    const message = {
      content: '<think>Hm.</think>At nine.',
      tool_calls: [{ id: 'x', type: 'function', function: { name: 'price', arguments: '{}' } }],
    };
    const body = JSON.stringify({ choices: [{ message }] }, null, 2);
    expect(await answer({ status: 200, body })).toMatchObject({ text: 'At nine.', calls: [['price', '{}']] });
    await expect(answer({ status: 200, body: '{"error":{"message":"busy"}}' })).rejects.toThrow('failed during');
    await expect(answer({ status: 200, body: '<html>' })).resolves.toMatchObject({ text: '' });
    await expect(answer({ status: 200, body: '{"choices":' })).rejects.toThrow(ModelError);
  });

  it('fails without the address of the server', async () => {
    await expect(answer('', 'http://127.0.0.1:1')).rejects.toThrow(
      /^the language model gave no answer: it cannot be reached$/,
    );
  });
});
