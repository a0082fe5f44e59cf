import type { StreamEvent } from '@figurehead/contract';

/**
 * The `data` of server-sent events (HTML Standard §9.2) as parsed JSON, until the server ends the answer or the reader
 * stops. It rejects when the connection breaks: read the state again and reconnect.
 */
export async function* readEvents(response: Response): AsyncGenerator<unknown> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line === '' && data.length > 0) {
          yield JSON.parse(data.join('\n'));
          data = [];
        } else if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
      }
    }
  } finally {
    // Closes the connection when the reader stopped first; a broken connection need not be closed.
    await reader.cancel().catch(() => undefined);
  }
}

/** How an event ends the utterance that it names; undefined for other events. */
export function outcomeOf({ type, reason }: StreamEvent): 'spoken' | 'interrupted' | 'failed' | undefined {
  if (type === 'speech.ended') return 'spoken';
  if (type !== 'speech.interrupted') return undefined;
  return reason === 'failed' ? 'failed' : 'interrupted';
}
