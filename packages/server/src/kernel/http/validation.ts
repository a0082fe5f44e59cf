import { type FieldError, withStoredTypes } from '@figurehead/contract';
import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { invalidFields } from '../errors.js';

/** Validates a value and returns it without unknown fields. Throws `badRequest` with every invalid field. */
export type Check = (value: unknown) => unknown;

/** Maximum errors in one answer. */
const MAX_ERRORS = 50;

/**
 * A body of more values than this is answered with its first error only: Ajv makes an object for each error, and a body of 4 MB may contain millions,
 * which held the event loop for ten seconds.
 */
const MAX_VALUES_OF_ALL_ERRORS = 10_000;

/**
 * Makes checks: bodies must have exact types; queries are text and are converted to the declared type. A check is compiled when it is first used: compiling
 * all of them takes longer than the rest of an API's start.
 */
export function createValidation(): { body(schema: TSchema): Check; query(schema: TSchema): Check } {
  const options = { strict: false, ownProperties: true };
  const first = new Ajv(options);
  const all = new Ajv({ ...options, allErrors: true });
  const coercing = new Ajv({ ...options, allErrors: true, coerceTypes: true, useDefaults: true });
  return {
    body(schema) {
      const validate = compiledOnUse(first, schema);
      const validateAll = compiledOnUse(all, schema);
      return (value) => {
        const failed = validate(value);
        if (failed === undefined) return Value.Clean(schema, value);
        const errors = (isSmall(value) ? validateAll(value) : undefined) ?? failed;
        const set = withoutNothing(value, errors);
        if (set !== undefined && validate(set) === undefined) return Value.Clean(schema, set);
        throw invalidFields(fieldErrors(errors));
      };
    },
    query(schema) {
      const validate = compiledOnUse(coercing, schema);
      return (sent) => {
        const value = withStoredTypes(schema, sent);
        const failed = validate(value);
        if (failed !== undefined) throw invalidFields(fieldErrors(failed));
        return Value.Clean(schema, value);
      };
    },
  };
}

/**
 * A copy of the value without the members that are `null` or an empty text and refused: programs send these for what they do not set.
 * `undefined` when there are none.
 */
function withoutNothing(value: unknown, errors: readonly ErrorObject[]): unknown {
  const copy = structuredClone(value);
  let isChanged = false;
  for (const { instancePath, keyword } of errors) {
    // A text that must not be empty is told so.
    if (keyword === 'minLength') continue;
    const keys = instancePath.split('/').slice(1);
    const last = keys.pop() ?? '';
    const parent = keys.reduce<unknown>((record, key) => (record as Record<string, unknown> | undefined)?.[key], copy);
    if (typeof parent !== 'object' || parent === null || Array.isArray(parent)) continue;
    const member: unknown = Reflect.get(parent, last);
    if (member === null || member === '') isChanged = Reflect.deleteProperty(parent, last);
  }
  return isChanged ? copy : undefined;
}

/** The errors of a value, `undefined` when it is valid. */
function compiledOnUse(ajv: Ajv, schema: TSchema): (value: unknown) => readonly ErrorObject[] | undefined {
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= ajv.compile(withoutIds(schema) as object);
    return validate(value) ? undefined : (validate.errors ?? []);
  };
}

/** True when the arrays and objects of a value have at most {@link MAX_VALUES_OF_ALL_ERRORS} values. */
function isSmall(root: unknown): boolean {
  const open: unknown[] = [root];
  for (let value = open.pop(), count = 0; value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const entries: unknown[] = Object.values(value);
    count += entries.length;
    if (count > MAX_VALUES_OF_ALL_ERRORS) return false;
    for (const entry of entries) if (typeof entry === 'object') open.push(entry);
  }
  return true;
}

/** `$id` names components of the documentation; Ajv reports a conflict when two schemas contain the same one. */
function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, entry]) => (key === '$id' ? [] : [[key, withoutIds(entry)]])),
  );
}

function fieldErrors(found: readonly ErrorObject[]): [FieldError, ...FieldError[]] {
  // A union reports each of its branches; "must match a schema in anyOf" adds nothing.
  const telling = found.filter((error) => error.keyword !== 'anyOf' && !isNullBranch(error));
  const byField = new Map<string, string[]>();
  for (const error of telling.length > 0 ? telling : found) {
    const field = fieldOf(error);
    const messages = byField.get(field) ?? [];
    const message = messageOf(error);
    if (!messages.includes(message)) messages.push(message);
    byField.set(field, messages);
  }
  const fields = [...byField]
    .slice(0, MAX_ERRORS)
    .map(([field, messages]) => ({ field, message: messages.join(' or ') }));
  const [first = { field: '', message: 'is not valid' }, ...rest] = fields;
  return [first, ...rest];
}

/** Drops "must be null" next to a better message about the same value. */
function isNullBranch(error: ErrorObject): boolean {
  return error.keyword === 'type' && error.params.type === 'null';
}

/** `/slides/0/voice` → `slides[0].voice`; for a missing property its own path. */
function fieldOf(error: ErrorObject): string {
  const parts = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (error.keyword === 'required') parts.push(String(error.params.missingProperty));
  return parts.reduce(
    (path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`),
    '',
  );
}

function messageOf(error: ErrorObject): string {
  switch (error.keyword) {
    case 'required':
      return 'is required';
    case 'enum':
      return `must be one of ${(error.params.allowedValues as unknown[]).join(', ')}`;
    case 'additionalProperties':
      return `has the unknown field ${String(error.params.additionalProperty)}`;
    case 'const':
      return `must be ${JSON.stringify(error.params.allowedValue)}`;
    case 'pattern':
      return 'does not have the expected form';
    case 'not':
      return 'is not accepted';
    default:
      return error.message ?? 'is not valid';
  }
}
