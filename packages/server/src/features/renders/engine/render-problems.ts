import { DocumentError, FontError, MediaError, type Problem, SceneError } from '@figurehead/media';
import { type DocumentProblem, RenderProblem } from '../contract.js';

/** The errors among the engine's remarks on a document, as the API tells them. */
export function errorsOf(problems: readonly Problem[]): DocumentProblem[] {
  return problems.filter((p) => p.level === 'error').map(({ path, message }) => ({ field: path, message }));
}

/** Turns the engine's complaints about a document and its media into a {@link RenderProblem} that the document's owner can read. */
export async function explained<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const problems = problemsOf(error);
    throw problems === undefined ? error : new RenderProblem(problems, { cause: error });
  }
}

/** What the document's owner can do something about; `undefined` when the fault is not the document's. */
function problemsOf(error: unknown): DocumentProblem[] | undefined {
  if (error instanceof DocumentError) return errorsOf(error.problems);
  if (error instanceof SceneError) {
    const message = error.message.startsWith(`${error.path}: `)
      ? error.message.slice(error.path.length + 2)
      : error.message;
    return [{ field: error.path, message }];
  }
  if (error instanceof FontError) return [{ field: 'fonts', message: error.message }];
  if (error instanceof MediaError) return [{ field: 'media', message: error.message }];
  return undefined;
}
