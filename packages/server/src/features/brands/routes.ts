import type { Kernel } from '../../kernel/contract.js';
import { invalidFields } from '../../kernel/errors.js';
import type { Http } from '../../kernel/http/contract.js';
import type { Avatars } from '../avatars/index.js';
import { requireSpeaker, type Voices } from '../voices/index.js';
import { readBrand, saveBrand } from './brands.js';

/** Serves the brand of a workspace. */
export function bindBrands(
  http: Http,
  kernel: Kernel,
  engine: { readonly avatars: Pick<Avatars, 'link' | 'resolve'>; readonly voices: Pick<Voices, 'resolve'> },
): void {
  http.bind('readBrand', { handle: ({ caller }) => readBrand(kernel, engine.avatars, caller.workspace.id) });
  http.bind('saveBrand', {
    check: async ({ caller, body }) => {
      await requireSpeaker(engine, caller.workspace.id, body);
      if (body.logo != null && !/^(?:https?:|data:)/i.test(body.logo)) {
        throw invalidFields([{ field: 'logo', message: 'must be the URL of a picture' }]);
      }
    },
    handle: ({ caller, body }) => saveBrand(kernel, caller.workspace.id, body),
  });
}
