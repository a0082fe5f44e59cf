import { type Static, Type } from '@sinclair/typebox';
import { CLIENT_TOKEN_LIMITS } from '../limits.js';
import { Nullable, Time } from './common.js';

const { seconds, minutes, streams, origins } = CLIENT_TOKEN_LIMITS;
const name = (maxLength: number) => Type.String({ minLength: 1, maxLength });

/** Body of POST /client-tokens: what a page may do with the token. */
export const ClientTokenInput = Type.Object({
  origins: Type.Array(Type.String({ minLength: 1, maxLength: 300, examples: ['https://www.example.org'] }), {
    minItems: 1,
    maxItems: origins.most,
    description: 'Origins of the pages that may use it: scheme, host and port.',
  }),
  avatarCode: name(200),
  voiceId: Type.Optional(name(200)),
  voiceProvider: Type.Optional(name(50)),
  language: Type.Optional(name(100)),
  agentId: Type.Optional(name(100)),
  maxMinutes: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: minutes.most,
      description: `Connected minutes of all its streams together; ${minutes.usual} by default.`,
    }),
  ),
  maxStreams: Type.Optional(
    Type.Integer({ minimum: 1, maximum: streams.most, description: `Open at once; ${streams.usual} by default.` }),
  ),
  expiresInSeconds: Type.Optional(
    Type.Integer({
      minimum: seconds.least,
      maximum: seconds.most,
      description: `Time until it expires; ${seconds.usual} by default.`,
    }),
  ),
});
export type ClientTokenInput = Static<typeof ClientTokenInput>;

const fields = {
  _id: Type.String(),
  origins: Type.Array(Type.String()),
  avatarCode: Type.String(),
  voiceId: Nullable(Type.String({ description: 'null: the voice that suits the avatar.' })),
  voiceProvider: Nullable(Type.String()),
  language: Nullable(Type.String()),
  agentId: Nullable(Type.String({ description: 'The agent that its streams speak with; null: none.' })),
  maxMinutes: Type.Number(),
  maxStreams: Type.Integer(),
  usedMinutes: Type.Number({ description: 'Connected time of its streams so far.' }),
  openStreams: Type.Integer(),
  createdAt: Time,
  expiresAt: Time,
};

/** A token for web pages; `token` itself is shown once, when it is made. */
export const ClientToken = Type.Object(fields, { $id: 'ClientToken' });
export type ClientToken = Static<typeof ClientToken>;

/** Answer of POST /client-tokens: the only time that the token is readable. */
export const NewClientToken = Type.Object({ ...fields, token: Type.String() });
export type NewClientToken = Static<typeof NewClientToken>;
