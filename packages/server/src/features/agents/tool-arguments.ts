import type { AgentTool, FieldError } from '@figurehead/contract';
import { Ajv, type Options } from 'ajv';
import { invalidFields } from '../../kernel/errors.js';

/** Longest JSON Schema of a tool, characters: compiling one takes a few milliseconds for each thousand. */
const MAX_SCHEMA = 20_000;

/** Longest report of wrong arguments to the language model, characters. */
const MAX_REPORT = 1000;

/** Throws `badRequest` with every tool whose `parameters` are not a usable JSON Schema. */
export function requireToolSchemas(tools: readonly AgentTool[]): void {
  const fields = tools.flatMap(({ parameters }, index): FieldError[] => {
    const problem = schemaProblem(parameters);
    return problem === undefined ? [] : [{ field: `tools[${index}].parameters`, message: problem }];
  });
  const [first, ...rest] = fields;
  if (first !== undefined) throw invalidFields([first, ...rest]);
}

/**
 * Compiles a tool's schema, a few milliseconds.
 * @returns a function that says why arguments do not match the schema, with the path of each; `undefined` where they do. A schema that was stored
 * before schemas were checked, and cannot be compiled, accepts everything.
 */
export function checkerOf({ parameters }: AgentTool): (given: unknown) => string | undefined {
  const ajv = open({ meta: false, validateSchema: false });
  try {
    const validate = ajv.compile(plain(parameters));
    return (given) =>
      validate(given) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'arguments' }).slice(0, MAX_REPORT);
  } catch {
    return () => undefined;
  }
}

function schemaProblem(parameters: AgentTool['parameters']): string | undefined {
  if (JSON.stringify(parameters).length > MAX_SCHEMA) return `must have at most ${MAX_SCHEMA} characters`;
  try {
    open({}).compile(plain(parameters));
    return undefined;
  } catch (error) {
    return `is not a JSON Schema: ${(error as Error).message}`;
  }
}

/**
 * Nothing in a schema may stop the streams of the host by its running time: regular expressions and uniqueness are not checked, the page checks
 * them. Properties that a pattern may allow are accepted.
 */
function open(options: Options): Ajv {
  const regExp = Object.assign(() => ({ test: () => true }), { code: 'new RegExp' });
  const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false, code: { regExp }, ...options });
  return ajv.removeKeyword('pattern').removeKeyword('patternProperties').removeKeyword('uniqueItems');
}

/** Without what concerns the validator: a dialect that it does not know, a name, and asynchronous checks. */
function plain({ $schema: _dialect, $id: _name, $async: _async, ...schema }: AgentTool['parameters']): object {
  return withoutReferences(schema) as object;
}

/** A schema that accepts anything where it refers to another part of itself: such references can take exponential time. */
function withoutReferences(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutReferences);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref: reference } = schema as { readonly $ref?: unknown };
  if (typeof reference === 'string' && reference.startsWith('#')) return {};
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withoutReferences(value)]));
}
