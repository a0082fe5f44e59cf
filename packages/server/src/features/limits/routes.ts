import { type Route, routes } from '@figurehead/contract';
import { pageOf } from '../../kernel/database/page.js';
import type { Http, Limiter } from '../../kernel/http/contract.js';

/** Serves the state of the workspace's rate limits (§8.1) without counting. */
export function bindLimits(http: Http, limiter: Limiter): void {
  const limited = (Object.values(routes) as Route[]).flatMap(({ limited: rule, ...route }) =>
    rule === undefined ? [] : [{ ...route, rule }],
  );
  http.bind('listRateLimits', {
    handle: async ({ caller, query }) => {
      const { rows, ...page } = pageOf('rows', limited, query);
      const rateLimits = await Promise.all(
        rows.map(async ({ id, method, path, rule }) => {
          const state = await limiter.peek(caller.workspace.id, id, rule);
          const { remainingMinute, remainingHour, resetMinute, resetHour } = state;
          const { perMinute, perHour } = rule;
          const endpoint = `${method} ${path}`;
          return { endpoint, perMinute, perHour, remainingMinute, remainingHour, resetMinute, resetHour };
        }),
      );
      return { rateLimits, ...page };
    },
  });
}
