import { InvalidArgumentError, Option } from 'commander';
import { serveMcpStdio } from '../features/mcp/offline.js';
import { OperatorError } from '../kernel/operator-error.js';
import { nonEmpty, notice, type Registration } from './command.js';

/** `figurehead mcp`: the tools of a server, or of one of its own, for an agent on this machine, over standard input and output. */
export const registerMcp: Registration = (command) => {
  command
    .addOption(
      new Option('--url <url>', 'address of the server')
        .env('URL')
        .default('http://localhost:8080')
        .argParser(webAddress),
    )
    .addOption(
      new Option(
        '--token <token>',
        'API token, better in the environment, where other users do not see it; without one, a server is started for the agent',
      )
        .env('TOKEN')
        .argParser(nonEmpty),
    )
    .option('--folder <path>', 'folder whose files the agent may upload; none without it')
    .action(async ({ url, token, folder }: { url: string; token?: string; folder?: string }) => {
      const interrupted = new AbortController();
      const stop = () => interrupted.abort();
      process.on('SIGINT', stop).on('SIGTERM', stop);
      const { signal } = interrupted;
      if (token !== undefined) return serveMcpStdio({ url, token, folder, signal, notice });
      if (command.getOptionValueSource('url') !== 'default') throw new OperatorError(`${url} needs a --token.`);
      const { startOwnServer } = await import('./own-server.js');
      const own = await startOwnServer();
      const fail = (error: Error) => {
        notice(`figurehead: ${error.message}`);
        process.exitCode = 1;
        stop();
      };
      own.token.catch(fail);
      signal.addEventListener('abort', () => void own.close(), { once: true });
      process.stdin.once('close', stop);
      await serveMcpStdio({ ...own, folder, signal, notice });
    });
};

function webAddress(text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError('It must be an address like https://video.example.com.');
}
