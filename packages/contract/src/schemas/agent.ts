import { type Static, Type } from '@sinclair/typebox';
import { AGENT_LIMITS } from '../limits.js';
import { Nullable, OneOf, Time } from './common.js';
import { TurnTaking, TurnTakingInput } from './turns.js';

const { minutes, turns, characters, tools, toolSeconds, days } = AGENT_LIMITS;
const name = (maxLength: number, description: string) =>
  Nullable(Type.String({ minLength: 1, maxLength, description }));
const spoken = (description: string) => Nullable(Type.String({ minLength: 1, maxLength: 1000, description }));

/** A function of the caller's page that the language model may call. */
export const AgentTool = Type.Object({
  name: Type.String({ pattern: '^[a-zA-Z0-9_-]{1,64}$', examples: ['show_product'] }),
  description: Type.String({ minLength: 1, maxLength: 1000, description: 'Tells the model when to call it.' }),
  parameters: Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of its arguments.' }),
});
export type AgentTool = Static<typeof AgentTool>;

const fields = {
  name: Type.String({ minLength: 1, maxLength: 200 }),
  prompt: Type.String({
    minLength: 1,
    maxLength: 20_000,
    description: 'System prompt of the language model. What viewers say never becomes part of it.',
  }),
  language: name(100, 'Language in which viewers speak and the voice answers; null: that of the voice.'),
  avatarCode: name(200, 'Presenter; null: the first of the list.'),
  voiceId: name(200, 'null: the voice that suits the presenter.'),
  voiceProvider: name(50, 'Provider of the voice.'),
  disclosure: spoken(
    'Spoken first, before the greeting, to say that a machine speaks. The model knows that the viewer was told, and does not deny it.',
  ),
  greeting: spoken('Spoken when the viewer is connected.'),
  apology: spoken('Spoken when recognition or the language model fails; null: only the event `conversation.failed`.'),
  model: name(200, 'Language model; null: the model of this server.'),
  temperature: Nullable(Type.Number({ minimum: 0, maximum: 2, description: 'null: the default of the model.' })),
  maxMinutes: Type.Number({
    exclusiveMinimum: 0,
    maximum: minutes.most,
    description: `Length of a conversation; ${minutes.usual} by default. It ends after the current answer.`,
  }),
  maxTurns: Type.Integer({
    minimum: 1,
    maximum: turns.most,
    description: `Answers in one conversation; ${turns.usual} by default.`,
  }),
  maxAnswerCharacters: Type.Integer({
    minimum: 50,
    maximum: characters.most,
    description: `Length at which an answer is cut; ${characters.usual} by default.`,
  }),
  turns: TurnTakingInput,
  tools: Type.Array(AgentTool, { maxItems: tools.most, description: 'Functions of the page that the model may call.' }),
  toolSeconds: Type.Number({
    minimum: toolSeconds.least,
    maximum: toolSeconds.most,
    description: `Time that the page has for the result of a call; ${toolSeconds.usual} by default.`,
  }),
  transcriptDays: Type.Integer({
    minimum: 0,
    maximum: days.most,
    description: `Days for which transcripts are kept; ${days.usual} by default. 0 stores none.`,
  }),
};

/** Body of PATCH /agents/{agentId}. */
export const AgentPatch = Type.Partial(Type.Object(fields));
export type AgentPatch = Static<typeof AgentPatch>;

/** Body of POST /agents; what is absent takes its default. */
export const AgentInput = Type.Composite([AgentPatch, Type.Pick(Type.Object(fields), ['name', 'prompt'])]);
export type AgentInput = Static<typeof AgentInput>;

const AgentSettings = Type.Object(fields);
/** Settings of an agent, complete. */
export type AgentSettings = Static<typeof AgentSettings>;

/** A presenter that holds conversations. */
export const ConversationAgent = Type.Object(
  { _id: Type.String(), ...fields, turns: TurnTaking, createdAt: Time, updatedAt: Time },
  { $id: 'Agent' },
);
export type ConversationAgent = Static<typeof ConversationAgent>;

/** What was said in one turn. */
export const ConversationTurn = Type.Object({
  role: OneOf(['viewer', 'agent']),
  text: Type.String({ description: 'Of an interrupted answer the words that were spoken.' }),
  at: Time,
  interrupted: Type.Optional(Type.Literal(true)),
});
export type ConversationTurn = Static<typeof ConversationTurn>;

const conversation = {
  _id: Type.String(),
  agentId: Type.String(),
  streamId: Type.String(),
  startedAt: Time,
  endedAt: Nullable(Time),
};

/** A conversation in a list. */
export const ConversationSummary = Type.Object(
  { ...conversation, turns: Type.Integer({ description: 'Number of turns of both sides.' }) },
  { $id: 'ConversationSummary' },
);
export type ConversationSummary = Static<typeof ConversationSummary>;

/** A conversation with its transcript. */
export const Conversation = Type.Object(
  { ...conversation, turns: Type.Array(ConversationTurn) },
  { $id: 'Conversation' },
);
export type Conversation = Static<typeof Conversation>;

/** Body of POST /streams/conversation/{streamId}: typed words of the viewer, the result of a tool call, or the button of push to talk. */
export const ConversationInput = Type.Union([
  Type.Object({
    text: Type.String({
      minLength: 1,
      maxLength: 2000,
      description: 'What the viewer typed. It interrupts the answer, as speech does.',
    }),
  }),
  Type.Object({
    callId: Type.String({ minLength: 1, maxLength: 200, description: '`id` of the event `conversation.tool`.' }),
    result: Type.Unknown({ description: 'Any JSON; the model reads it.' }),
  }),
  Type.Object({
    isTalking: Type.Boolean({ description: 'With `turns.isPushToTalk`: the viewer presses or releases the button.' }),
  }),
]);
export type ConversationInput = Static<typeof ConversationInput>;
