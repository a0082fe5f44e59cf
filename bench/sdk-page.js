// A page that imports the SDK's modules as they are, without a bundler.
import { readFile } from 'node:fs/promises';
import { join, normalize } from 'node:path';

/** Modules of the contract that the SDK imports. */
const IMPORTS = { imports: { '@figurehead/contract/endpoints': '/contract/endpoints.js' } };

/** Answers with a module of `/sdk/` or `/contract/` of the checkout `root`; every other path is the page with a video element. */
export async function answerPage(request, response, root) {
  const path = normalize(new URL(request.url, 'http://page').pathname);
  const [, folder, file] = /^\/(sdk|contract)\/(.*\.js)$/.exec(path) ?? [];
  response.writeHead(200, { 'content-type': file ? 'text/javascript' : 'text/html' });
  response.end(
    file
      ? await readFile(join(root, 'packages', folder, 'dist', file))
      : `<!doctype html><title>Figurehead</title><script type="importmap">${JSON.stringify(IMPORTS)}</script><video autoplay playsinline></video>`,
  );
}
