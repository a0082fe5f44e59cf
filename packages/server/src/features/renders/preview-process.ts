import {
  type Assets,
  FontError,
  type Fonts,
  inspectMedia,
  MediaError,
  openFonts,
  openSlidePainter,
  SceneError,
  SlideError,
  type SlidePainter,
} from '@figurehead/media';
import type { DocumentProblem } from './contract.js';
import type { FromPreview, InspectionOrder, PreviewMedia, PreviewOrder, ToPreview } from './preview-messages.js';

// The program of a preview process: orders come by message, one at a time, pictures go back. It stays warm between orders.
// It draws strangers' files with native code, which is why it is not the API that does.

const asked = new Map<number, (answer: PreviewMedia) => void>();
let asks = 0;

/** Asks the server for media. */
async function ask(what: 'picture' | 'file', src: string): Promise<PreviewMedia> {
  const id = asks++;
  const answer = await new Promise<PreviewMedia>((resolve) => {
    asked.set(id, resolve);
    tell({ kind: 'ask', ask: id, what, src });
  });
  if (answer.refused !== undefined) throw new Error(answer.refused);
  return answer;
}

const assets: Assets = {
  picture: async (src) => Buffer.from((await ask('picture', src)).bytes ?? []),
  file: async (src) => (await ask('file', src)).file ?? '',
};

function tell(message: FromPreview): void {
  process.send?.(message);
}

async function main(): Promise<void> {
  const painter = await openSlidePainter();
  const fontsOf = fontKeeper();
  process.on('message', (message) => {
    const given = message as ToPreview;
    if (given.kind === 'paint') {
      void paint(painter, fontsOf, given).then(tell, fail);
      return;
    }
    if (given.kind === 'inspect') {
      void inspect(given).then(tell, fail);
      return;
    }
    asked.get(given.ask)?.(given);
    asked.delete(given.ask);
  });
  tell({ kind: 'ready' });
}

/** Opens fonts once for each set of them: their files do not change under a name. */
function fontKeeper(): (custom: PreviewOrder['fonts']) => Promise<Fonts> {
  let kept: { readonly key: string; readonly fonts: Fonts } | undefined;
  return async (custom) => {
    const key = JSON.stringify(custom);
    if (kept?.key !== key) kept = { key, fonts: await openFonts(custom) };
    return kept.fonts;
  };
}

async function paint(
  painter: SlidePainter,
  fontsOf: ReturnType<typeof fontKeeper>,
  order: PreviewOrder,
): Promise<FromPreview> {
  const { id, source, slide, seconds, speeches, packs } = order;
  try {
    const resolvePack = async (code: string) => {
      const pack = packs[code];
      if (pack === undefined) throw new Error(`there is no presenter "${code}"`);
      return pack;
    };
    const fonts = await fontsOf(order.fonts);
    const picture = await painter.paint({ source, slide, seconds, speeches, assets, fonts, resolvePack });
    return { kind: 'painted', id, picture };
  } catch (error) {
    return { kind: 'refused', id, problems: problemsOf(error) };
  }
}

async function inspect({ id, what, src }: InspectionOrder): Promise<FromPreview> {
  try {
    await inspectMedia(what, what === 'picture' ? await assets.picture(src) : await assets.file(src));
    return { kind: 'inspected', id };
  } catch (error) {
    return { kind: 'refused', id, problems: [{ field: '', message: (error as Error).message }] };
  }
}

/** What the document's owner can do something about; everything else ends the process. */
function problemsOf(error: unknown): DocumentProblem[] {
  if (error instanceof SlideError) return error.problems.map(({ path, message }) => ({ field: path, message }));
  if (error instanceof SceneError) {
    const message = error.message.slice(error.path.length + 2);
    return [{ field: error.path, message }];
  }
  if (error instanceof MediaError || error instanceof FontError) return [{ field: 'slide', message: error.message }];
  throw error;
}

function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(2);
}

// The server is gone: nobody waits for a picture.
process.once('disconnect', () => process.exit(0));
void main().catch(fail);
