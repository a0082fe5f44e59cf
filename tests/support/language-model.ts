import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A request to the model. */
export interface Question {
  readonly messages: readonly { role: string; content: string }[];
  readonly response_format?: unknown;
  readonly model: string;
}
/** Its answer: text, an HTTP status with a body, or none at all. */
export type Reply = string | { status: number; body?: string } | 'hang';

/** An OpenAI-shaped server on loopback that answers by script. */
export async function openLanguageModel() {
  const questions: Question[] = [];
  let reply: (question: Question, index: number) => Reply = () => '';
  const server = createServer(async (request: IncomingMessage, response) => {
    const question = (await json(request)) as Question;
    questions.push(question);
    const answer = reply(question, questions.length - 1);
    if (answer === 'hang') return;
    response.setHeader('Content-Type', 'application/json');
    if (typeof answer === 'object') response.writeHead(answer.status).end(answer.body ?? '{}');
    else response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content: answer } }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    questions,
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
