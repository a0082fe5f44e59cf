import type { LiveEvent, ViewerSpeech } from '@figurehead/media';
import type { TestCaller } from './api.js';
import { type Host, sessionOf, until } from './stream-host.js';

/** Settings of an agent. */
export const AGENT = { name: 'Guide', prompt: 'You are the guide of a museum.' };

/**
 * Connects a viewer to a new stream of a new agent. Throws when the stream is refused; the caller closes the stream.
 * @param settings of the agent.
 * @param stream further settings of the stream.
 */
export async function openViewer(host: Host, caller: TestCaller, settings: object, stream: object = {}) {
  const agent = (await caller.call('POST', '/agents', { ...AGENT, ...settings })).body;
  const { status, body, text } = await caller.call('POST', '/streams', { agentId: agent._id, ...stream });
  if (status !== 200) throw new Error(`POST /streams answered ${status}: ${text}`);
  const session = sessionOf(host, body.id);
  const events: LiveEvent[] = [];
  session.onEvent((event) => events.push(event));
  session.connect();
  const states = () => events.flatMap((event) => (event.type === 'conversation.state' ? [event.state] : []));
  return {
    id: body.id as string,
    agent,
    session,
    events,
    /** Texts of all events of a type. */
    texts: (type: string) => events.flatMap((event) => (event.type === type && 'text' in event ? [event.text] : [])),
    states,
    failures: () => events.flatMap((event) => (event.type === 'conversation.failed' ? [event.error] : [])),
    isState: (state: string) => until(`it is ${state}`, () => states().at(-1) === state),
    /** The viewer speaks; the detector notices begin and end. */
    hear: (speech: ViewerSpeech) => {
      session.hear({ type: 'began' });
      session.hear(speech);
    },
  };
}
