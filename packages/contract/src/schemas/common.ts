import { type Static, type TSchema, Type } from '@sinclair/typebox';

/** ISO 8601 time in UTC. */
export const Time = Type.String({ description: 'ISO 8601 time in UTC.', examples: ['2026-01-31T09:30:00.000Z'] });

/** `schema` or null. */
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** A member that may be absent or null. */
export const Nullish = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema));

/** One of the listed strings. As an `enum`, which documentation and error messages show better than a union of constants. */
export const OneOf = <const T extends readonly string[]>(values: T, description?: string) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...(description === undefined ? {} : { description }) });

/** One offending field of a request: its path as written in code (`slides[0].voice`) and what is wrong with it. */
export const FieldError = Type.Object(
  { field: Type.String({ examples: ['slides[0].voice'] }), message: Type.String() },
  { $id: 'FieldError' },
);
export type FieldError = Static<typeof FieldError>;

/** Body of every failure except 401, which has none. `retryAfter` (seconds) only where waiting helps (§7.1). */
export const ErrorBody = Type.Object({
  message: Type.String(),
  errors: Type.Optional(Type.Array(FieldError)),
  retryAfter: Type.Optional(Type.Integer({ minimum: 0 })),
});
export type ErrorBody = Static<typeof ErrorBody>;

/** Where a program wants to be called once, as a webhook is. */
export const CallbackUrl = Type.String({
  maxLength: 2000,
  description: 'Called once at the end, signed like a webhook; also without a subscription.',
  examples: ['https://receiver.example/done'],
});

/** Answer of calls that only start something (§7: 200 means queued). */
export const Accepted = Type.Object({ accepted: Type.Literal(true) });

/** Response of DELETE for resources that no longer exist afterwards. */
export const Deleted = Type.Object({ _id: Type.String(), deleted: Type.Literal(true) });

/** Page and page size of every list. */
export const Paging = {
  page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 25 }),
};

/** Query of a list without a filter. */
export const Paged = Type.Object(Paging);

/** The bytes of an answer that is a file (`binary` of its route). */
export const Bytes = Type.Unsafe<Uint8Array>({ type: 'string', format: 'binary' });

/** An answer of server-sent events (`events` of its route): objects of `event`, until either side ends it. */
export const EventsOf = <T extends TSchema>(event: T) =>
  Type.Unsafe<AsyncIterable<Static<T>>>({ type: 'string', description: `Events: ${event['$id'] ?? 'objects'}.` });

/** `{<plural>: […], page, limit, total}`. */
export const ListOf = <const K extends string, T extends TSchema>(plural: K, item: T) =>
  Type.Object({
    ...({ [plural]: Type.Array(item) } as Record<K, ReturnType<typeof Type.Array<T>>>),
    page: Type.Integer(),
    limit: Type.Integer(),
    total: Type.Integer(),
  });
