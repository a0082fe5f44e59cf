import type { Kernel } from '../../kernel/contract.js';
import { ApiError } from '../../kernel/errors.js';
import { FairSemaphore } from '../../kernel/fair-semaphore.js';
import type { Http, UploadedFile } from '../../kernel/http/contract.js';
import { readBrand } from '../brands/index.js';
import { requireSpeaker } from '../voices/index.js';
import { requireCallbackUrl } from '../webhooks/index.js';
import { awaitImport, type ImportInput, requestImport } from './imports.js';
import { findOffice, HOW_TO_INSTALL_OFFICE } from './office/office.js';
import type { Inspection } from './reading/inspection.js';
import { PresentationProblem } from './reading/problem.js';
import { openReader } from './reading/reader.js';
import type { Speakers } from './voice-choice.js';

/** Each file is read in a separate thread: one per typical processor, and one is left for other workspaces. */
const INSPECTIONS = { atOnce: 2, perWorkspace: 1, waitingPerWorkspace: 32, waitMs: 20_000 } as const;

/** Serves the import of presentations. */
export function bindPresentations(http: Http, kernel: Kernel, parts: Speakers): void {
  const inspections = new FairSemaphore(INSPECTIONS);
  http.bind('importPresentation', {
    handle: async ({ caller, body, file, log, signal, setStatus }) => {
      const { strict, editable, voicePerPage, wait, ...wishes } = body;
      const given = Object.fromEntries(Object.entries(wishes).filter(([, value]) => value !== ''));
      // An empty field means no presenter; an absent one uses the brand's.
      const { avatar } =
        wishes.avatar === undefined ? await readBrand(kernel, parts.avatars, caller.workspace.id) : { avatar: null };
      const wished = {
        ...(avatar !== null && { avatar }),
        ...given,
        strict: strict === 'true',
        editable: editable === 'true',
        voicePerPage: voicePerPage === 'true',
      };
      requireCallbackUrl(kernel, wishes.callbackUrl);
      await requireSpeaker(parts, caller.workspace.id, wished);
      const { kind, pages } = await inspections.run(caller.workspace.id, () => inspect(file, log, signal), signal);
      if (wished.strict && kind !== 'pdf' && (await findOffice()) === undefined) {
        throw new ApiError('invalid', {
          reason: `LibreOffice is not installed on this server. ${HOW_TO_INSTALL_OFFICE}`,
        });
      }
      const input: ImportInput = { ...wished, kind };
      const made = await requestImport(kernel, caller, { file, input });
      const seconds = wait === 'false' ? 0 : kernel.config.requestTimeoutSeconds;
      const video = await awaitImport(kernel, caller, { ...made, seconds, signal });
      if (video !== undefined) return video;
      setStatus(206);
      const what = pages === null ? '' : `of ${pages} pages `;
      const message = `The conversion ${what}continues. Poll GET /videos/${made.videoId} until its status is draft or error.`;
      return { message, _id: made.videoId, status: 'importing' as const };
    },
  });
}

/** Throws a 400 for problems of the file. */
async function inspect(file: UploadedFile, log: Kernel['log'], signal: AbortSignal): Promise<Inspection> {
  const reader = openReader(file.path, signal);
  try {
    return await reader.inspect();
  } catch (error) {
    if (!(error instanceof PresentationProblem)) throw error;
    if (error.cause !== undefined) log.warn({ err: error }, 'a presentation was refused');
    throw new ApiError('invalid', { reason: error.message }, { errors: [{ field: 'file', message: error.message }] });
  } finally {
    await reader.close();
  }
}
