/** The Model Context Protocol over standard input and output, against a server elsewhere; needs no database. */
import { openAsBlob } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, resolve, sep } from 'node:path';
import { createClient } from '@figurehead/sdk';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMcpServer, openCatalogue } from './server.js';
import { ToolError } from './tool.js';

/**
 * Serves one client until its input ends or `signal` is raised.
 * @param options.token calls wait for it, while the server starts.
 * @param options.folder files of it may be uploaded; none without it.
 * @param options.notice reports what goes wrong, apart from the protocol.
 */
export async function serveMcpStdio(options: {
  url: string;
  token: string | Promise<string>;
  folder: string | undefined;
  signal: AbortSignal;
  notice: (line: string) => void;
}): Promise<void> {
  const { url, token, folder, signal, notice } = options;
  const client = createClient({
    baseUrl: url,
    maxRateLimitWaitSeconds: 0,
    fetch: async (address, init) => {
      const headers = new Headers(init?.headers);
      headers.set('Authorization', `Bearer ${await token}`);
      return fetch(address, { ...init, headers });
    },
  });
  const catalogue = await openCatalogue();
  const readFile = folder === undefined ? undefined : folderReader(await realpath(folder));
  const onFailure = (error: unknown, tool: string) =>
    notice(`${tool}: ${error instanceof Error ? error.stack : error}`);
  const handle = serveStdio(() => createMcpServer(catalogue, { client, readFile, signal, onFailure }), {
    onerror: (error) => notice(error.message),
  });
  signal.addEventListener('abort', () => void handle.close(), { once: true });
}

/** Reads files below a folder; links that lead out of it are refused. */
function folderReader(folder: string): (path: string) => Promise<File> {
  return async (path) => {
    const next = `give the path of a file below ${folder}.`;
    const real = await realpath(resolve(folder, path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') throw new ToolError(`There is no file ${path}.`, next);
      throw error;
    });
    if (!real.startsWith(folder + sep)) throw new ToolError(`${path} is outside of the folder.`, next);
    return new File([await openAsBlob(real)], basename(real));
  };
}
