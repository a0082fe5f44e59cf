import { AsyncLocalStorage } from 'node:async_hooks';

/** Context that is passed from an API request to the job or stream host working for it. */
export interface CallContext {
  /** Of the response header `X-Request-Id`; part of every log line of every role that works for the request. */
  readonly requestId?: string;
  /** The current span, when traces are exported: ids in the format of W3C Trace Context (32 and 16 hex digits). */
  readonly span?: { readonly traceId: string; readonly spanId: string };
  /** Workspace of the request, within this process: workspaces take turns for database connections. Not passed on. */
  readonly workspaceId?: string;
}

/** A serialised context: in headers between processes, in the data of a job. */
export interface CarriedContext {
  readonly requestId?: string;
  /** W3C `traceparent`. */
  readonly traceparent?: string;
}

/** Header of the request id between roles. */
export const REQUEST_ID_HEADER = 'x-request-id';

const REQUEST_ID = /^[\w-]{1,64}$/;
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;

// AsyncLocalStorage passes it along asynchronous calls: as a parameter it would be in every function of the server.
const storage = new AsyncLocalStorage<CallContext>();

/** Runs `work` and everything it starts in a context. */
export function inContext<T>(context: CallContext, work: () => T): T {
  return storage.run(context, work);
}

/** The current context; empty outside of a request. */
export function currentContext(): CallContext {
  return storage.getStore() ?? {};
}

/** The current context for another process; `undefined` without one. */
export function carriedContext(): CarriedContext | undefined {
  const { requestId, span } = currentContext();
  if (requestId === undefined && span === undefined) return undefined;
  return {
    ...(requestId === undefined ? {} : { requestId }),
    ...(span === undefined ? {} : { traceparent: `00-${span.traceId}-${span.spanId}-01` }),
  };
}

/** The current context as request headers for another role. */
export function contextHeaders(): Record<string, string> {
  const { requestId, traceparent } = carriedContext() ?? {};
  return {
    ...(requestId === undefined ? {} : { [REQUEST_ID_HEADER]: requestId }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

/** Parses a context from another process; malformed values are ignored. */
export function readCarried(carried: { requestId?: unknown; traceparent?: unknown } | undefined): CallContext {
  const { requestId, traceparent } = carried ?? {};
  const [, traceId, spanId] = (typeof traceparent === 'string' && TRACEPARENT.exec(traceparent)) || [];
  return {
    ...(typeof requestId === 'string' && REQUEST_ID.test(requestId) ? { requestId } : {}),
    ...(traceId === undefined || spanId === undefined ? {} : { span: { traceId, spanId } }),
  };
}
