import { InvalidArgumentError, Option } from 'commander';
import { serveMcpStdio } from '../features/mcp/offline.js';
import { nonEmpty, notice, type Registration } from './command.js';

/** `figurehead mcp`: the tools of a server for an agent on this machine, over standard input and output. */
export const registerMcp: Registration = (command) => {
  command
    .addOption(
      new Option('--url <url>', 'address of the server')
        .env('URL')
        .default('http://localhost:8080')
        .argParser(webAddress),
    )
    .addOption(
      new Option('--token <token>', 'API token; better in the environment, where other users do not see it')
        .env('TOKEN')
        .makeOptionMandatory()
        .argParser(nonEmpty),
    )
    .option('--folder <path>', 'folder whose files the agent may upload; none without it')
    .action(async (flags: { url: string; token: string; folder?: string }) => {
      const interrupted = new AbortController();
      const stop = () => interrupted.abort();
      process.on('SIGINT', stop).on('SIGTERM', stop);
      await serveMcpStdio({ ...flags, folder: flags.folder, signal: interrupted.signal, notice });
    });
};

function webAddress(text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError('It must be an address like https://video.example.com.');
}
