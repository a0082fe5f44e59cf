import { type Logger, multistream, pino, type StreamEntry, stdSerializers } from 'pino';
import type { Config } from '../config/config.js';
import { currentContext } from './call-context.js';
import type { LogFile } from './log-file.js';

/** Fields that are removed from log lines, on the first three levels. */
const SECRET_FIELDS = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'token',
  'apiKey',
  'databaseUrl',
  'smtpUrl',
  'x-api-key',
  'set-cookie',
];

/**
 * The log of one process. Pretty lines on a terminal, JSON otherwise. Lines of a request or its job contain its id, and
 * the id of its trace when traces are exported.
 * @param role part of every line.
 * @param destination default: standard output.
 * @param file receives the same lines as JSON.
 */
export function createLog(
  config: Config,
  role: string,
  destination: NodeJS.WritableStream = process.stdout,
  file?: LogFile,
): Logger {
  const terminal = 'isTTY' in destination && destination.isTTY === true;
  const pretty = config.logFormat === 'pretty' || (config.logFormat === 'auto' && terminal);
  const stream: StreamEntry['stream'] = pretty
    ? { write: (line) => void destination.write(readable(line)) }
    : destination;
  return pino(
    {
      level: config.logLevel,
      base: { role },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: describeError, error: describeError },
      redact: { paths: redactedPaths(), censor: '[secret]' },
      mixin: contextFields,
    },
    // The logger itself filters by level.
    file === undefined
      ? stream
      : multistream([
          { stream, level: 'trace' },
          { stream: file, level: 'trace' },
        ]),
  );
}

/** Without an error's objects, which may be whole connections with their keys. */
function describeError(error: unknown): unknown {
  // Anything can be thrown.
  if (!(error instanceof Error)) return error;
  const fields = Object.entries(stdSerializers.err(error)).filter(([, value]) => typeof value !== 'object');
  const errors = error instanceof AggregateError && { aggregateErrors: error.errors.map(describeError) };
  return { ...Object.fromEntries(fields), ...errors };
}

function contextFields(): object {
  const { requestId, span } = currentContext();
  return {
    ...(requestId === undefined ? {} : { requestId }),
    ...(span === undefined ? {} : { traceId: span.traceId }),
  };
}

function redactedPaths(): string[] {
  return SECRET_FIELDS.flatMap((field) => {
    const last = `["${field}"]`;
    return [last, `*${last}`, `*.*${last}`];
  });
}

const LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'ERROR',
  60: 'FATAL',
};

/** `12:30:01 info  worker  message  key=value …` and an error's stack on its own lines. */
function readable(line: string): string {
  const { level, time, role, msg, err, error, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const fields = Object.entries(rest).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const head = [
    String(time).slice(11, 19),
    (LEVELS[Number(level)] ?? String(level)).padEnd(5),
    String(role).padEnd(7),
    msg,
    ...fields,
  ];
  const stack = [err, error].flatMap((value) =>
    typeof value === 'object' && value !== null && 'stack' in value
      ? [`\n    ${String(value.stack).replaceAll('\n', '\n    ')}`]
      : [],
  );
  return `${head.filter((part) => part !== undefined).join(' ')}${stack.join('')}\n`;
}
