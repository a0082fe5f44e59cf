import { findNvenc } from '@figurehead/media';
import type { Kernel } from '../../../kernel/contract.js';
import { OperatorError } from '../../../kernel/operator-error.js';

/**
 * Decides at the start of a worker whether H.264 is encoded on a graphics card: `auto` if one works, `nvenc` always,
 * `cpu` never. Throws an {@link OperatorError} for `nvenc` without a working card.
 * @param find for tests.
 */
export function chooseEncoder(
  { config, log }: { readonly config: Pick<Kernel['config'], 'encoder'>; readonly log: Pick<Kernel['log'], 'info'> },
  find = findNvenc,
): { readonly nvenc: boolean } {
  if (config.encoder === 'cpu') return { nvenc: false };
  const card = find();
  if (card.found) {
    log.info('H.264 is encoded on the graphics card');
    return { nvenc: true };
  }
  if (config.encoder === 'nvenc') {
    throw new OperatorError(
      `FIGUREHEAD_ENCODER is nvenc, but no graphics card encodes here: ${card.reason}. Set it to auto or cpu, or install the driver.`,
    );
  }
  log.info({ reason: card.reason }, 'no graphics card encodes here; the CPU does');
  return { nvenc: false };
}
