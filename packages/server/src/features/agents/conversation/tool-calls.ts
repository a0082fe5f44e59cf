import type { AgentTool } from '@figurehead/contract';
import type { LiveSession } from '@figurehead/media';
import type { Ids } from '../../../kernel/contract.js';
import type { ChatMessage, ToolCall } from '../../language-model/index.js';

/** Calls of tools that wait for the page's results. */
export class ToolCalls {
  readonly #waiting = new Map<string, (result: unknown) => void>();

  constructor(
    private readonly parts: {
      readonly session: Pick<LiveSession, 'tell'>;
      readonly ids: Ids;
      readonly tools: readonly AgentTool[];
      /** Time for a result, seconds. */
      readonly seconds: number;
    },
  ) {}

  /** Passes calls to the page. @returns the messages for the model: the calls, and a result or an error for each. */
  async run(calls: readonly ToolCall[], signal: AbortSignal): Promise<ChatMessage[]> {
    const results = await Promise.all(
      calls.map(async (call): Promise<ChatMessage> => {
        const result = await this.#call(call, signal);
        return { role: 'tool', callId: call.id, content: JSON.stringify(result ?? null) };
      }),
    );
    return [{ role: 'assistant', calls }, ...results];
  }

  /** Takes the result of a call. @returns false when no such call waits. */
  onResult(callId: string, result: unknown): boolean {
    const resolve = this.#waiting.get(callId);
    resolve?.(result);
    return resolve !== undefined;
  }

  async #call({ name, arguments: text }: ToolCall, signal: AbortSignal): Promise<unknown> {
    const { session, ids, tools, seconds } = this.parts;
    if (!tools.some((tool) => tool.name === name)) return { error: 'There is no such tool.' };
    let given: unknown;
    try {
      given = JSON.parse(text === '' ? '{}' : text);
    } catch (error) {
      return { error: `The arguments are not JSON: ${String(error)}` };
    }
    const id = ids.next();
    const result = new Promise<unknown>((resolve) => this.#waiting.set(id, resolve));
    const end = () => this.onResult(id, { error: `The page gave no result within ${seconds} s.` });
    const timer = setTimeout(end, 1000 * seconds);
    signal.addEventListener('abort', end, { once: true });
    try {
      session.tell({ type: 'conversation.tool', id, name, arguments: given });
      return await result;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      this.#waiting.delete(id);
    }
  }
}
