import { DocumentError, FontError, MediaError, type Problem, SceneError } from '@figurehead/media';
import { type DocumentProblem, RenderProblem } from './contract.js';

/** The errors among the engine's problems of a document, in the API's format. */
export function errorsOf(problems: readonly Problem[]): DocumentProblem[] {
  return problems.filter((p) => p.level === 'error').map(({ path, message }) => ({ field: path, message }));
}

/** Converts the engine's errors about a document and its media to a {@link RenderProblem} for the document's owner. */
export async function explained<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const problems = problemsOf(error);
    throw problems === undefined ? error : new RenderProblem(problems, { cause: error });
  }
}

/** Problems that the document's owner can fix; `undefined` when the document is not the cause. */
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
