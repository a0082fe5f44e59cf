/** Timeout of a call. */
const PATIENCE_MS = 20_000;

/**
 * Calls an installation's APIs in turn, like a load balancer, without retries: only answered calls count.
 * @param record called with `{method, path, status, ms}` of every answer; status 0: no answer.
 */
export function createCaller(urls, token, record = () => undefined) {
  let turn = 0;
  return async (method, path, body, options = {}) => {
    const base = urls[turn++ % urls.length];
    const at = performance.now();
    const done = (status) => record({ method, path, status, ms: performance.now() - at });
    try {
      const response = await fetch(`${base}/api/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...options.headers,
        },
        signal: AbortSignal.timeout(options.patienceMs ?? PATIENCE_MS),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      done(response.status);
      return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
    } catch {
      // Refused, cut off or too late: not acknowledged, whatever the server has done.
      done(0);
      return { status: 0, headers: new Headers(), body: undefined };
    }
  };
}
