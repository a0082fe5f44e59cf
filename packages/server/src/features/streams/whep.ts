import type { Stream } from '@figurehead/contract';
import { ApiError } from '../../kernel/errors.js';
import type { Http } from '../../kernel/http/contract.js';
import type { Streams } from './streams.js';

/** Maximum candidates of one fragment, more than any network has. */
const MAX_CANDIDATES = 32;

/**
 * Serves WHEP (draft-ietf-wish-whep-03): a player's offer opens a new stream, which the other stream routes control. Trickle ICE is supported, ICE
 * restart is not: a player that lost its network opens another stream.
 */
export function serveWhep(http: Http, streams: Streams): void {
  const resource = ({ caller, params }: { caller: Parameters<Streams['load']>[0]; params: { streamId: string } }) =>
    streams.load(caller, params.streamId);

  http.bind('openWhep', {
    handle: async ({ caller, query, body, setHeader }) => {
      const { stream, answer } = await streams.watch(caller, { input: query, offer: body });
      // Relative to the endpoint, so that it is correct behind a proxy.
      setHeader('Location', `whep/${stream.id}`);
      const links = iceServerLinks(stream.webrtcData.iceServers);
      if (links !== '') setHeader('Link', links);
      return Buffer.from(answer);
    },
  });
  http.bind('trickleWhep', {
    resource,
    handle: async ({ resource: stream, body, headers }) => {
      // RFC 9725 section 4.3.3: an ICE restart has this value.
      if (headers['if-match'] === '*') throw new ApiError('noIceRestart');
      for (const candidate of readFragment(body)) await streams.ask(stream, 'addCandidate', { candidate });
      return null;
    },
  });
  http.bind('closeWhep', { resource, handle: ({ resource: stream }) => streams.close(stream) });
}

/** Candidates of a trickle ICE fragment (RFC 8840 section 9), then `null` where it ends them. */
export function readFragment(fragment: string): ({ candidate: string; sdpMid: string | null } | null)[] {
  const found: ({ candidate: string; sdpMid: string | null } | null)[] = [];
  let sdpMid: string | null = null;
  for (const line of fragment.split(/\r\n|\n/)) {
    if (line.startsWith('m=')) sdpMid = null;
    else if (line.startsWith('a=mid:')) sdpMid = line.slice('a=mid:'.length).trim();
    else if (line.startsWith('a=candidate:') && found.length < MAX_CANDIDATES)
      found.push({ candidate: line.slice('a='.length), sdpMid });
  }
  return /^a=end-of-candidates\s*$/m.test(fragment) ? [...found, null] : found;
}

/** STUN and TURN servers in the form of `Link` headers (RFC 9725 section 4.6). */
function iceServerLinks(servers: Stream['webrtcData']['iceServers']): string {
  return servers
    .flatMap(({ urls, username, credential }) =>
      [urls].flat().map((url) => {
        const login =
          username === undefined || credential === undefined
            ? ''
            : `; username="${username}"; credential="${credential}"; credential-type="password"`;
        return `<${url}>; rel="ice-server"${login}`;
      }),
    )
    .join(', ');
}
