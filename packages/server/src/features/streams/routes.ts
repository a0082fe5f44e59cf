import type { Http } from '../../kernel/http/contract.js';
import type { Streams } from './streams.js';

/** Serves live streams (§3.3, §4.2 to §4.4). */
export function serveStreams(http: Http, streams: Streams): void {
  const resource = ({ caller, params }: { caller: Parameters<Streams['load']>[0]; params: { streamId: string } }) =>
    streams.load(caller, params.streamId);

  http.bind('createStream', { handle: ({ caller, body }) => streams.create(caller, body ?? {}) });
  http.bind('listStreams', {
    handle: async ({ caller, query }) => ({ ...(await streams.list(caller.workspace.id, query)), ...query }),
  });
  http.bind('readStream', { resource, handle: async ({ resource: stream }) => streams.present(stream) });
  http.bind('readStreamStats', { resource, handle: ({ resource: stream }) => streams.stats(stream) });
  http.bind('reconnectStream', {
    resource,
    handle: ({ resource: stream, body }) => streams.reconnect(stream, body?.received),
  });
  http.bind('answerStream', {
    resource,
    handle: async ({ resource: stream, body }) => {
      await streams.answer(stream, body.answer.sdp);
      return { status: 'ok' };
    },
  });
  http.bind('addCandidate', {
    resource,
    handle: async ({ resource: stream, body }) => {
      await streams.addCandidate(stream, body.candidate);
      return { status: 'ok' };
    },
  });
  http.bind('speak', {
    resource,
    handle: async ({ resource: stream, body }) => ({ accepted: true, ...(await streams.speak(stream, body.text)) }),
  });
  http.bind('openUtterance', {
    resource,
    handle: async ({ resource: stream, body }) => ({
      accepted: true,
      ...(await streams.openUtterance(stream, body?.text ?? '')),
    }),
  });
  http.bind('appendText', {
    resource,
    handle: async ({ resource: stream, params: { utteranceId }, body }) => {
      await streams.appendText(stream, { ...body, utteranceId });
      return { accepted: true, id: utteranceId };
    },
  });
  http.bind('converse', {
    resource,
    handle: async ({ resource: stream, body }) => {
      await streams.converse(stream, body);
      return { accepted: true };
    },
  });
  http.bind('watchStream', {
    resource,
    handle: ({ resource: stream, signal }) => streams.events(stream, signal),
  });
  http.bind('interrupt', {
    resource,
    handle: ({ resource: stream, query }) => streams.interrupt(stream, query.scope ?? 'all'),
  });
  http.bind('closeStream', { resource, handle: ({ resource: stream }) => streams.close(stream) });
}
