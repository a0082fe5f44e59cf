import { expect, it } from 'vitest';
import { History } from './history.js';

const call = (at: number) => [
  { role: 'assistant' as const, calls: [{ id: `c${at}`, name: 'find', arguments: '{}' }] },
  { role: 'tool' as const, callId: `c${at}`, content: '"found"' },
];

it('begins with a message of the viewer when it is long, even if all the latest messages are calls of tools', () => {
  const history = new History('You are a guide.');
  history.addAgent('Welcome!');
  history.addViewer('Hello.');
  expect(history.messages.map(({ role }) => role)).toEqual(['system', 'assistant', 'user']);
  for (let at = 0; at < 60; at++) {
    history.addViewer(`Question ${at}`);
    history.addAgent(`Answer ${at}`);
  }
  expect(history.messages[1]).toMatchObject({ role: 'user' });
  expect(history.messages.length).toBeLessThanOrEqual(81);
  history.addViewer('Find all of them.');
  for (let at = 0; at < 60; at++) history.addCalls(call(at));
  expect(history.messages[1]).toEqual({ role: 'user', content: 'Find all of them.' });
});
