import {
  DocumentError,
  FontError,
  MediaError,
  type Problem,
  type RenderResources,
  ResourceOutage,
  SceneError,
  SpeechError,
} from '@figurehead/media';
import { ApiError } from '../../kernel/errors.js';
import { isMediumRefusal } from '../library/offline.js';
import { type DocumentProblem, RenderProblem } from './contract.js';

/** The errors among the engine's problems of a document, in the API's format. */
export function errorsOf(problems: readonly Problem[]): DocumentProblem[] {
  return problems.filter((p) => p.level === 'error').map(({ path, message }) => ({ field: path, message }));
}

/**
 * Why a resource of a document was refused, for the document's owner. Any other error is not the document's fault (the
 * database or the bucket is out of reach, the disk is full, the server is overloaded): it is thrown on.
 */
export function reasonOf(error: unknown): string {
  if (isRefusal(error)) return error.message;
  throw error;
}

function isRefusal(error: unknown): error is Error {
  if (error instanceof ApiError) return error.status < 500 && error.status !== 429;
  return isMediumRefusal(error) || error instanceof RenderProblem || error instanceof SpeechError;
}

/** Resources for the engine, whose errors are refusals or outages. {@link explained} throws the causes of outages. */
export function withOutages(resources: RenderResources): RenderResources {
  const { resolveVoice, resolvePack, assets } = resources;
  const { film } = assets;
  return {
    ...resources,
    resolveVoice: (request) => orOutage(resolveVoice(request)),
    resolvePack: (code) => orOutage(resolvePack(code)),
    assets: {
      picture: (src) => orOutage(assets.picture(src)),
      file: (src) => orOutage(assets.file(src)),
      ...(film && { film: (src: string) => orOutage(film(src)) }),
    },
  };
}

async function orOutage<T>(found: Promise<T>): Promise<T> {
  try {
    return await found;
  } catch (error) {
    throw isRefusal(error) ? error : new ResourceOutage(error);
  }
}

/**
 * Converts the engine's errors about a document and its media to a {@link RenderProblem} for the document's owner, and
 * an outage to its cause.
 */
export async function explained<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof ResourceOutage) throw error.cause;
    const problems = problemsOf(error);
    throw problems === undefined ? error : new RenderProblem(problems, { cause: error });
  }
}

/** Problems that the document's owner can fix; `undefined` when the document is not the cause. */
function problemsOf(error: unknown): DocumentProblem[] | undefined {
  if (error instanceof DocumentError) return errorsOf(error.problems);
  if (error instanceof SceneError) return [{ field: error.path, message: error.reason }];
  if (error instanceof FontError) return [{ field: 'fonts', message: error.message }];
  if (error instanceof MediaError) return [{ field: 'media', message: error.message }];
  return undefined;
}
