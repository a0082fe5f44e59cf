import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer, json } from 'node:stream/consumers';

/** A request to the model. */
export interface Question {
  readonly messages: readonly { role: string; content: string; tool_call_id?: string }[];
  readonly stream?: boolean;
  readonly temperature?: number;
  readonly tools?: readonly { function: { name: string } }[];
  readonly response_format?: unknown;
  readonly model: string;
}
/** A piece of a streamed answer: text, or a call of a tool with arguments in JSON. */
export type StreamedPart = string | { readonly tool: string; readonly arguments: string };
/** Its answer: text, an HTTP status with a body, the deltas of a stream as other servers write them, the pieces of a stream, or none at all. */
export type Reply =
  | string
  | { status: number; body?: string }
  | { deltas: readonly object[] }
  | AsyncIterable<StreamedPart>
  | 'hang';
/** Result of the recogniser: words, an HTTP status, or none at all. */
export type Recognition = string | { status: number } | 'hang';

async function* inWords(text: string): AsyncGenerator<string, void, void> {
  yield* text.match(/\S+\s*/g) ?? [];
}

/** An OpenAI-shaped server on loopback that answers questions and recognises speech by script. */
export async function openLanguageModel() {
  const questions: Question[] = [];
  let reply: (question: Question, index: number) => Reply = () => '';
  const utterances: Buffer[] = [];
  let understand: (index: number) => Recognition | Promise<Recognition> = () => '';
  const server = createServer(async (request: IncomingMessage, response) => {
    if (request.url?.endsWith('/audio/transcriptions')) {
      utterances.push(await buffer(request));
      const words = await understand(utterances.length - 1);
      if (words === 'hang') return;
      const [status, body] = typeof words === 'string' ? [200, { text: words }] : [words.status, {}];
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
      return;
    }
    const question = (await json(request)) as Question;
    questions.push(question);
    const answer = reply(question, questions.length - 1);
    if (answer === 'hang') return;
    const parts = typeof answer === 'string' && question.stream ? inWords(answer) : answer;
    // An error of the script cuts the connection.
    if (typeof parts === 'object' && Symbol.asyncIterator in parts)
      return stream(parts, response).catch(() => void response.destroy());
    response.setHeader('Content-Type', 'application/json');
    if (typeof answer === 'object' && 'deltas' in answer) {
      const events = answer.deltas.map((delta) => `data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`);
      response.setHeader('Content-Type', 'text/event-stream').end(`${events.join('')}data: [DONE]\n\n`);
    } else if (typeof answer === 'object' && 'status' in answer)
      response.writeHead(answer.status).end(answer.body ?? '{}');
    else response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content: answer } }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    questions,
    /** Requests for recognition so far: multipart forms with a WAV file. */
    utterances,
    hear(next: typeof understand) {
      utterances.length = 0;
      understand = next;
    },
    script(next: typeof reply) {
      questions.length = 0;
      reply = next;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** See {@link openLanguageModel}. */
export type LanguageModel = Awaited<ReturnType<typeof openLanguageModel>>;

/** Sends the events of a streamed answer until it ends or the reader disconnects. */
async function stream(parts: AsyncIterable<StreamedPart>, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
  const send = (delta: object) => response.write(`data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`);
  let calls = 0;
  for await (const part of parts) {
    // Without this an endless answer would prevent the process from detecting the disconnect.
    await new Promise((resolve) => setImmediate(resolve));
    if (response.destroyed) return;
    if (typeof part === 'string') send({ content: part });
    else {
      const index = calls++;
      const half = part.arguments.length >> 1;
      const call = { name: part.tool, arguments: part.arguments.slice(0, half) };
      send({ tool_calls: [{ index, id: `call_${index}`, type: 'function', function: call }] });
      send({ tool_calls: [{ index, function: { arguments: part.arguments.slice(half) } }] });
    }
  }
  response.end('data: [DONE]\n\n');
}
