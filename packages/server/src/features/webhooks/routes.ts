import type { QuotaUse } from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import { requireOwner } from '../../kernel/http/auth.js';
import type { CallerWorkspace, Http } from '../../kernel/http/contract.js';
import { createWebhooks } from './service.js';

/** Functions of other features that the routes need. */
export interface WebhookRoutesOptions {
  /** Remaining minutes of a workspace (decimal). */
  readonly minutesOf: (workspaceId: string) => Promise<number>;
  /** Use of every limited entity, for `GET /apiConfig`. */
  readonly quotasOf: (workspace: CallerWorkspace) => Promise<QuotaUse[]>;
}

/**
 * Serves the webhook routes and `GET /apiConfig`. Only owners and programs with a token can change the URL and the
 * secret.
 */
export function bindWebhooks(http: Http, kernel: Kernel, { minutesOf, quotasOf }: WebhookRoutesOptions): void {
  const webhooks = createWebhooks(kernel);

  http.bind('subscribe', {
    async handle({ caller, body }) {
      requireOwner(caller);
      return webhooks.subscribe(caller.workspace.id, body);
    },
  });
  http.bind('unsubscribe', {
    async handle({ caller }) {
      requireOwner(caller);
      await webhooks.unsubscribe(caller.workspace.id);
      return { deleted: true };
    },
  });
  http.bind('setWebhookSecret', {
    async handle({ caller, body }) {
      requireOwner(caller);
      await webhooks.setSecret(caller.workspace.id, body.secret);
      return { accepted: true };
    },
  });
  http.bind('readApiConfig', {
    async handle({ caller: { workspace } }) {
      const [webhook, minutes, quotas] = await Promise.all([
        webhooks.describe(workspace.id),
        minutesOf(workspace.id),
        quotasOf(workspace),
      ]);
      const { plan, status, allowOverlimit } = workspace;
      return { webhook, plan, status, minutes, allowOverlimit, quotas };
    },
  });
  http.bind('listDeliveries', {
    async handle({ caller, query }) {
      const { page, limit } = query;
      return { ...(await webhooks.list(caller.workspace.id, query)), page, limit };
    },
  });
  http.bind('testWebhook', {
    handle: ({ caller }) => webhooks.test(caller.workspace.id, caller.userId),
  });
  http.bind('resendDelivery', {
    resource: ({ caller, params }) => webhooks.find(caller.workspace.id, params.deliveryId),
    handle: ({ resource }) => webhooks.resend(resource),
  });
}
