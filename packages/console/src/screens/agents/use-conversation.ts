import type { ConversationAgent, ConversationTurn, LiveStream, StreamEvent } from '@figurehead/sdk';
import { useEffect, useMemo, useState } from 'react';

/** A call of a tool that waits for the user of this page, who takes the place of the agent's real page. */
export interface PendingToolCall {
  readonly key: string;
  readonly name: string;
  /** What the model passes, JSON. */
  readonly given: unknown;
  /** Sends the result to the model. */
  readonly answer: (result: unknown) => void;
}

/** What was said so far, newest last, and what the agent does. */
interface Talk {
  readonly state: NonNullable<StreamEvent['state']>;
  readonly turns: readonly ConversationTurn[];
  /** Why the last answer failed. */
  readonly failure: string | null;
}

const BEGINNING: Talk = { state: 'listening', turns: [], failure: null };

/** Follows the conversation of a stream. After its end the turns stay until the next one begins. */
export function useConversation(stream: LiveStream | null): Talk {
  const [talk, setTalk] = useState(BEGINNING);
  useEffect(() => {
    if (stream === null) return;
    setTalk(BEGINNING);
    const add = (role: ConversationTurn['role'], text = '') =>
      setTalk((now) => ({
        ...now,
        failure: null,
        turns: [...now.turns, { role, text, at: new Date().toISOString() }],
      }));
    const stops = [
      stream.on('conversation.state', ({ state = 'listening' }) => setTalk((now) => ({ ...now, state }))),
      stream.on('conversation.heard', ({ text }) => add('viewer', text)),
      stream.on('conversation.said', ({ text }) => add('agent', text)),
      stream.on('conversation.failed', ({ error = 'The answer failed.' }) =>
        setTalk((now) => ({ ...now, failure: error })),
      ),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [stream]);
  return talk;
}

/** Lets the user of this page answer the calls of an agent's tools: functions for `LiveStream.open`, and the calls of a stream that wait. */
export function useToolCalls(agent: ConversationAgent, stream: LiveStream | null) {
  const [calls, setCalls] = useState<readonly PendingToolCall[]>([]);
  const tools = useMemo(() => {
    const wait = (name: string, given: unknown) =>
      new Promise<unknown>((resolve) => {
        const key = crypto.randomUUID();
        const answer = (result: unknown) => {
          setCalls((now) => now.filter((call) => call.key !== key));
          resolve(result);
        };
        setCalls((now) => [...now, { key, name, given, answer }]);
      });
    return Object.fromEntries(agent.tools.map(({ name }) => [name, (given: unknown) => wait(name, given)]));
  }, [agent.tools]);
  useEffect(() => {
    setCalls([]);
    // An agent that listens waits for no result any more: it was interrupted, or the time for it was over.
    return stream?.on('conversation.state', ({ state }) => {
      if (state === 'listening') setCalls([]);
    });
  }, [stream]);
  return { calls, tools };
}
