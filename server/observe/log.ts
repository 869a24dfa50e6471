import { type Logger, pino } from 'pino';
import { openLogDestination } from './log-destination.ts';
import type { LogStyle } from './log-style.ts';
import { createPrettyLine } from './pretty-line.ts';

/** What the gateway's rooms may say. */
export type Log = Pick<Logger, 'info' | 'warn' | 'error' | 'debug'>;

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/**
 * Structured lines on standard error, so that standard output stays for what a person or a script asked for. Prompts,
 * answers, keys and signatures are never handed to it; the names below are a second fence, not the first.
 */
export function createLog(level: LogLevel, style: LogStyle = json): Log & { flush(): void } {
  const secrets = [
    'signature',
    'privateKey',
    'relayerKey',
    'relayerKeys',
    'facilitatorToken',
    'key',
    'apiKey',
    'prompt',
    'messages',
    'answer',
    'body',
  ];
  return pino(
    {
      level,
      base: null,
      redact: { paths: secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
    },
    destinationFor(style),
  );
}

const json: LogStyle = { format: 'json', hasColours: false };

/** Secrets are blanked before a line gets here, and the destination behind it bounds lines that no reader takes. */
function destinationFor({ format, hasColours }: LogStyle): { write(line: string): void } {
  const destination = sharedDestination();
  if (format === 'json') return destination;
  const pretty = createPrettyLine(hasColours);
  return { write: (line) => void destination.write(pretty(line)) };
}

let shared: ReturnType<typeof openLogDestination> | null = null;

/** One for the process, so that its lines stay in order and its end is watched once. */
function sharedDestination() {
  shared ??= openLogDestination();
  return shared;
}
