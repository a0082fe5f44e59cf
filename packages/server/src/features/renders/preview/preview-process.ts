import {
  type Assets,
  DocumentError,
  FontError,
  type Fonts,
  MediaError,
  openFonts,
  openSlidePainter,
  requireDecodable,
  SceneError,
} from '@figurehead/media/painter';
import { serveProcess } from '../../../kernel/workers/process-program.js';
import type { FetchedMedium, OpenJob, PaintJob, PreviewJob, PreviewRefusal } from './preview-messages.js';

// Program of a preview process. It draws untrusted files with native code, so it is separate from the API.

// Part of the start of the process, which has its own time limit.
const painter = await openSlidePainter();
const fontsOf = createFontLoader();
await fontsOf([]);

serveProcess(
  async (job: PreviewJob): Promise<Uint8Array | null> => (job.kind === 'paint' ? paint(job) : open(job)),
  refusalOf,
);

async function paint(job: PaintJob): Promise<Uint8Array> {
  const { source, slide, seconds, speeches, packs } = job;
  const resolvePack = async (code: string) => {
    const pack = packs[code];
    if (pack === undefined) throw new Error(`there is no presenter "${code}"`);
    return pack;
  };
  const fonts = await fontsOf(job.fonts);
  return painter.paint({ source, slide, seconds, speeches, assets: assetsOf(job.media), fonts, resolvePack });
}

async function open({ what, medium }: OpenJob): Promise<null> {
  const assets = assetsOf([medium]);
  await requireDecodable(what, what === 'picture' ? await assets.picture(medium.src) : await assets.file(medium.src));
  return null;
}

/** The engine's access to the media that the server has fetched. */
function assetsOf(media: readonly FetchedMedium[]): Assets {
  const find = <K extends 'bytes' | 'file'>(kind: K, src: string) => {
    const found = media.filter((one) => one.src === src);
    const fit = found.find((one): one is Extract<FetchedMedium, Record<K, unknown>> => kind in one);
    if (fit !== undefined) return fit;
    const missing = found.find((one) => 'missing' in one);
    throw new Error(missing?.missing ?? `the server did not fetch ${src.slice(0, 120)}`);
  };
  return {
    picture: async (src) => Buffer.from(find('bytes', src).bytes),
    file: async (src) => find('file', src).file,
  };
}

/** Opens each set of fonts once: files do not change under a name. */
function createFontLoader(): (custom: PaintJob['fonts']) => Promise<Fonts> {
  let kept: { readonly key: string; readonly fonts: Fonts } | undefined;
  return async (custom) => {
    const key = JSON.stringify(custom);
    if (kept?.key !== key) kept = { key, fonts: await openFonts(custom) };
    return kept.fonts;
  };
}

/** Problems that the document's owner can fix; any other error ends the process. */
function refusalOf(error: unknown): PreviewRefusal | undefined {
  if (error instanceof DocumentError) return error.problems.map(({ path, message }) => ({ field: path, message }));
  if (error instanceof SceneError) {
    const message = error.message.slice(error.path.length + 2);
    return [{ field: error.path, message }];
  }
  if (error instanceof MediaError || error instanceof FontError) return [{ field: 'slide', message: error.message }];
  return undefined;
}
