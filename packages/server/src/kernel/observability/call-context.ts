import { AsyncLocalStorage } from 'node:async_hooks';

/** What is carried from an API request into the job or the stream host that works for it. */
export interface CallContext {
  /** Of the response header `X-Request-Id`; the same on every log line of every role that works for the request. */
  readonly requestId?: string;
  /** The span that is open, when traces are exported: ids as W3C Trace Context has them (32 and 16 hex digits). */
  readonly span?: { readonly traceId: string; readonly spanId: string };
  /** Whose request it is, within this process: workspaces take turns for its connections to the database. Not carried further. */
  readonly workspaceId?: string;
}

/** A context as it travels: in headers between processes, in the data of a job. */
export interface CarriedContext {
  readonly requestId?: string;
  /** W3C `traceparent`. */
  readonly traceparent?: string;
}

/** Header of the request id between roles. */
export const REQUEST_ID_HEADER = 'x-request-id';

const REQUEST_ID = /^[\w-]{1,64}$/;
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;

// The one thing that Node itself hands along asynchronous calls: passing it by hand would add a parameter to every function of the house.
const storage = new AsyncLocalStorage<CallContext>();

/** Runs `work` and everything it starts in a context. */
export function inContext<T>(context: CallContext, work: () => T): T {
  return storage.run(context, work);
}

/** The context of the caller; empty outside of any. */
export function currentContext(): CallContext {
  return storage.getStore() ?? {};
}

/** The caller's context for another process; `undefined` when there is none. */
export function carriedContext(): CarriedContext | undefined {
  const { requestId, span } = currentContext();
  if (requestId === undefined && span === undefined) return undefined;
  return {
    ...(requestId === undefined ? {} : { requestId }),
    ...(span === undefined ? {} : { traceparent: `00-${span.traceId}-${span.spanId}-01` }),
  };
}

/** The caller's context as request headers to another role. */
export function contextHeaders(): Record<string, string> {
  const { requestId, traceparent } = carriedContext() ?? {};
  return {
    ...(requestId === undefined ? {} : { [REQUEST_ID_HEADER]: requestId }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

/** Reads what another process sent; what has not the right shape counts as not sent. */
export function readCarried(carried: { requestId?: unknown; traceparent?: unknown } | undefined): CallContext {
  const { requestId, traceparent } = carried ?? {};
  const [, traceId, spanId] = (typeof traceparent === 'string' && TRACEPARENT.exec(traceparent)) || [];
  return {
    ...(typeof requestId === 'string' && REQUEST_ID.test(requestId) ? { requestId } : {}),
    ...(traceId === undefined || spanId === undefined ? {} : { span: { traceId, spanId } }),
  };
}
