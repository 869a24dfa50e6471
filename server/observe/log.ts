import { type Logger, pino } from 'pino';
import { hideSecrets } from './hide-secrets.ts';
import { openLogDestination } from './log-destination.ts';
import type { LogStyle } from './log-style.ts';
import { createPrettyLine } from './pretty-line.ts';

/** The methods of the log that the gateway uses. */
export type Log = Pick<Logger, 'info' | 'warn' | 'error' | 'debug'>;

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/**
 * Writes structured lines to standard error, so that standard output stays free for the output of commands. No
 * caller passes prompts, completions, keys or signatures. Hiding their names is a second protection.
 */
export function createLog(level: LogLevel, style: LogStyle = json): Log & { flush(): void } {
  return pino(
    {
      level,
      base: null,
      formatters: { log: hideSecrets },
      serializers: { err: (cause: Error) => hideSecrets(pino.stdSerializers.err(cause)) },
    },
    destinationFor(style),
  );
}

const json: LogStyle = { format: 'json', hasColours: false };

/** The logger hides secrets before a line gets here. The destination limits the memory for unread lines. */
function destinationFor({ format, hasColours }: LogStyle): { write(line: string): void } {
  const destination = sharedDestination();
  if (format === 'json') return destination;
  const pretty = createPrettyLine(hasColours);
  return { write: (line) => void destination.write(pretty(line)) };
}

let shared: ReturnType<typeof openLogDestination> | null = null;

/** One destination for the process keeps the lines in order and registers one exit listener. */
function sharedDestination() {
  shared ??= openLogDestination();
  return shared;
}
