import { API_PREFIX, type Avatar } from '@figurehead/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Kernel } from '../../kernel/contract.js';
import { ApiError } from '../../kernel/errors.js';

/** How a provider of avatars is asked to join a LiveKit room. Fields are paths in the body, the first one that is there counts. */
interface Facade {
  /** Below the address that users give to the plugin. */
  readonly path: string;
  readonly url: string;
  readonly token: string;
  /** `:` names a parameter of the path. */
  readonly avatar: readonly string[];
  /** Field of the answer that has the stream's id. */
  readonly id: string;
}

/** As LiveKit's plugins call them (livekit-plugins-… 1.8.9; the second of bey: before 1.8.9). */
const FACADES: readonly Facade[] = [
  { path: '/bey/v1/sessions', url: 'url', token: 'token', avatar: ['avatar_id'], id: 'id' },
  { path: '/bey/v1/session', url: 'livekit_url', token: 'livekit_token', avatar: ['avatar_id'], id: 'id' },
  {
    path: '/anam/v1/engine/session',
    url: 'environment.livekitUrl',
    token: 'environment.livekitToken',
    avatar: ['personaConfig.avatarId'],
    id: 'sessionId',
  },
  {
    path: '/simli/integrations/livekit/agents',
    url: 'livekit_url',
    token: 'livekit_token',
    avatar: ['faceId'],
    id: 'session_id',
  },
  {
    path: '/tavus/v2/conversations',
    url: 'properties.livekit_ws_url',
    token: 'properties.livekit_room_token',
    avatar: ['face_id', 'replica_id', 'pal_id'],
    id: 'conversation_id',
  },
  {
    path: '/runway/v1/realtime_sessions',
    url: 'livekit.url',
    token: 'livekit.token',
    avatar: ['avatar.avatarId', 'avatar.presetId'],
    id: 'id',
  },
  {
    path: '/did/v2/agents/:agentId/sessions/join',
    url: 'transport.server_url',
    token: 'transport.token',
    avatar: [':agentId'],
    id: 'id',
  },
  {
    path: '/lemonslice/sessions',
    url: 'properties.livekit_url',
    token: 'properties.livekit_token',
    avatar: ['agent_id'],
    id: 'session_id',
  },
  {
    path: '/protoface/v1/sessions',
    url: 'transport.url',
    token: 'transport.worker_token',
    avatar: ['avatar_id'],
    id: 'id',
  },
];

/** Longest body: an access token and a few names. */
const MOST_BYTES = 64 * 1024;

/** An error that a route of the API answered. */
class Refused extends Error {
  constructor(
    readonly status: number,
    readonly body: string,
  ) {
    super(`the API answered ${status}`);
    this.name = 'Refused';
  }
}

/** The caller's API token, and the face that Simli's first request named. */
interface Credentials {
  readonly key: string;
  readonly faceId?: string;
}

type Call = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => Promise<unknown>;

interface Asked {
  readonly request: FastifyRequest;
  readonly call: Call;
  readonly credentials: Credentials;
}

const NO_AGENT = 'The token of the room has no attribute lk.publish_on_behalf, which names the agent to speak for.';

/**
 * Serves the requests by which plugins of LiveKit agents ask their providers for an avatar: a stream that joins the agent's room and speaks its sound. Each
 * one calls the API's own routes with the caller's token, so the same checks and limits apply.
 */
export function serveAvatarFacades(app: FastifyInstance, { config }: Kernel): void {
  const serve = (method: 'POST' | 'DELETE', url: string, answer: (asked: Asked) => Promise<unknown>) =>
    app.route({
      method,
      url,
      config: { routeId: 'avatarFacade' },
      bodyLimit: MOST_BYTES,
      handler: async (request, reply) => {
        const credentials = readCredentials(request);
        try {
          return await answer({ request, credentials, call: callAs(app, credentials.key, request.ip) });
        } catch (error) {
          if (error instanceof Refused) return reply.code(error.status).type('application/json').send(error.body);
          throw error;
        }
      },
    });

  for (const facade of FACADES)
    serve('POST', facade.path, (asked) => openAvatar(facade, asked, config.aliases.avatars));
  // The key comes with the first of two requests only, so the second one's token contains it.
  serve('POST', '/simli/compose/token', async ({ request, call, credentials }) => {
    await call('GET', '/avatars');
    const token = { ...credentials, faceId: textAt(request.body, ['faceId']) };
    return { session_token: Buffer.from(JSON.stringify(token)).toString('base64url') };
  });
  const end = ({ request, call }: Asked) =>
    call('DELETE', `/streams/${encodeURIComponent(textAt(request.params, ['id']) ?? '')}`);
  serve('POST', '/protoface/v1/sessions/:id/end', end);
  serve('DELETE', '/runway/v1/realtime_sessions/:id', end);
}

/** Opens a stream in the room of the request; answers when it has joined. */
async function openAvatar(
  facade: Facade,
  { request, call, credentials }: Asked,
  aliases: Readonly<Record<string, string>>,
): Promise<object> {
  const body = { ...(request.body as object), ...credentials };
  const field = (path: string) =>
    path.startsWith(':') ? textAt(request.params, [path.slice(1)]) : textAt(body, path.split('.'));
  const [url, token] = [facade.url, facade.token].map((path) => field(path) ?? missing(path));
  const wanted = facade.avatar.map(field).find((value) => value !== undefined);
  const avatarCode = await findAvatar(call, wanted, aliases);
  const { id } = (await call('POST', '/streams', avatarCode === undefined ? {} : { avatarCode })) as { id: string };
  try {
    const { agent } = (await call('POST', `/streams/room/${id}`, { url, token })) as { agent: string | null };
    if (agent === null) throw new ApiError('invalid', { reason: NO_AGENT });
  } catch (error) {
    await call('DELETE', `/streams/${id}`);
    throw error;
  }
  return { [facade.id]: id, status: 'active' };
}

/** In the header of a provider's keys, or in the token that Simli's first request got. Throws a 401. */
function readCredentials({ headers, body }: FastifyRequest): Credentials {
  const header = headers['x-api-key'] ?? headers['x-simli-api-key'] ?? headers.authorization;
  const key = /^(?:(?:Bearer|Basic) +)?(\S+) *$/i.exec(String(header ?? ''))?.[1];
  if (key !== undefined) return { key };
  try {
    const carried: unknown = JSON.parse(Buffer.from(textAt(body, ['session_token']) ?? '', 'base64url').toString());
    const [found, faceId] = [textAt(carried, ['key']), textAt(carried, ['faceId'])];
    if (found !== undefined) return { key: found, ...(faceId === undefined ? {} : { faceId }) };
  } catch (cause) {
    throw Object.assign(new ApiError('unauthorized'), { cause });
  }
  throw new ApiError('unauthorized');
}

function callAs(app: FastifyInstance, key: string, remoteAddress: string): Call {
  return async (method, path, body) => {
    const answer = await app.inject({
      method,
      url: `${API_PREFIX}${path}`,
      remoteAddress,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
    if (answer.statusCode >= 400) throw new Refused(answer.statusCode, answer.body);
    return answer.json();
  };
}

/** The presenter with this code or name, or the one that an alias means; `undefined`, the default, for the provider's own ids. */
async function findAvatar(
  call: Call,
  wanted: string | undefined,
  aliases: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  if (wanted === undefined) return undefined;
  // Simli's ids may be followed by an emotion.
  const name = wanted.split('/')[0] ?? '';
  const own = (aliases[wanted] ?? aliases[name] ?? name).toLowerCase();
  const avatars = (await call('GET', '/avatars')) as Pick<Avatar, 'code' | 'name'>[];
  return avatars.find((avatar) => avatar.code.toLowerCase() === own || avatar.name.toLowerCase() === own)?.code;
}

function textAt(value: unknown, path: readonly string[]): string | undefined {
  const found = path.reduce<unknown>((at, name) => (at as Record<string, unknown> | null | undefined)?.[name], value);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

function missing(path: string): never {
  throw new ApiError('badRequest', { reason: `expected a text in ${path}` });
}
