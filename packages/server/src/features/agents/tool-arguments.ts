import type { AgentTool, FieldError } from '@figurehead/contract';
import { Ajv, type Options } from 'ajv';
import { invalidFields } from '../../kernel/http/error.js';

/** Longest JSON Schema of a tool, characters: compiling one takes a few milliseconds for each thousand. */
const MAX_SCHEMA = 20_000;

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
    return (given) => (validate(given) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'arguments' }));
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
 * Regular expressions of a schema are not run, because a slow one would stop all streams of the host: the page checks them. Properties that a
 * pattern may allow are accepted.
 */
function open(options: Options): Ajv {
  const regExp = Object.assign(() => ({ test: () => true }), { code: 'new RegExp' });
  const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false, code: { regExp }, ...options });
  return ajv.removeKeyword('pattern').removeKeyword('patternProperties');
}

/** Without what concerns the validator: a dialect that it does not know, a name, and asynchronous checks. */
function plain({ $schema: _dialect, $id: _name, $async: _async, ...schema }: AgentTool['parameters']): object {
  return schema;
}
