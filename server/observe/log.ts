import { type Logger, pino } from 'pino';
import { openLogDestination } from './log-destination.ts';

/** What the gateway's rooms may say. */
export type Log = Pick<Logger, 'info' | 'warn' | 'error' | 'debug'>;

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/**
 * Structured lines on standard error, so that standard output stays for what a person or a script asked for. Prompts,
 * answers, keys and signatures are never handed to it; the names below are a second fence, not the first.
 */
export function createLog(level: LogLevel): Log & { flush(): void } {
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
    sharedDestination(),
  );
}

let shared: ReturnType<typeof openLogDestination> | null = null;

/** One for the process, so that its lines stay in order and its end is watched once. */
function sharedDestination() {
  shared ??= openLogDestination();
  return shared;
}
