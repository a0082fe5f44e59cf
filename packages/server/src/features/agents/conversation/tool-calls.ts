import type { AgentTool } from '@figurehead/contract';
import type { LiveSession } from '@figurehead/media';
import type { Ids } from '../../../kernel/contract.js';
import type { ChatMessage, ToolCall } from '../../language-model/index.js';
import { checkerOf } from '../tool-arguments.js';

/** Longest arguments of a call, characters. */
const MAX_ARGUMENTS = 20_000;

/** Calls of tools that wait for the page's results. */
export class ToolCalls {
  readonly #waiting = new Map<string, (result: unknown) => void>();
  /** By the name of the tool, from its first call on. */
  readonly #checkers = new Map<string, ReturnType<typeof checkerOf>>();

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
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) return { error: 'There is no such tool.' };
    if (text.length > MAX_ARGUMENTS) return { error: `The arguments are longer than ${MAX_ARGUMENTS} characters.` };
    let given: unknown;
    try {
      given = JSON.parse(text === '' ? '{}' : text);
    } catch (error) {
      return { error: `The arguments are not JSON: ${String(error)}` };
    }
    const problem = this.#checkerOf(tool)(given);
    if (problem !== undefined) return { error: `The arguments do not match the schema of the tool: ${problem}.` };
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

  #checkerOf(tool: AgentTool): ReturnType<typeof checkerOf> {
    const checker = this.#checkers.get(tool.name) ?? checkerOf(tool);
    this.#checkers.set(tool.name, checker);
    return checker;
  }
}
