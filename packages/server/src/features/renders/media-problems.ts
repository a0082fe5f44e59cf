import { FontError, MediaError, type Problem, RenderError, SceneError } from '@figurehead/media';
import { type DocumentProblem, RenderProblem, SlideFailure } from './contract.js';

/** The errors among the engine's remarks on a document, as the API tells them. */
export function errorsOf(problems: readonly Problem[]): DocumentProblem[] {
  return problems.filter((p) => p.level === 'error').map(({ path, message }) => ({ field: path, message }));
}

/** Turns the engine's complaints about a document's media into a problem that its owner can read. */
export async function explained<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof SceneError) {
      const message = error.message.startsWith(`${error.path}: `)
        ? error.message.slice(error.path.length + 2)
        : error.message;
      throw new RenderProblem([{ field: error.path, message }], { cause: error });
    }
    if (error instanceof FontError)
      throw new RenderProblem([{ field: 'fonts', message: error.message }], { cause: error });
    if (error instanceof MediaError)
      throw new RenderProblem([{ field: 'media', message: error.message }], { cause: error });
    throw error;
  }
}

/** Draws and encodes; what fails without a better explanation names its slide. `shots` begin with slide `from`. */
export async function namingSlides<T>(
  shots: readonly { readonly key: string }[],
  from: number,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await explained(act);
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    const index = shots.findIndex(({ key }) => key === error.shotKey);
    if (index < 0) throw error;
    throw new SlideFailure(from + index, error.message, { cause: error });
  }
}
