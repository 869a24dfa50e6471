import { type Logger, pino } from 'pino';

/** What the gateway's rooms may say. */
export type Log = Pick<Logger, 'info' | 'warn' | 'error' | 'debug'>;

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Lines that wait until they can be written; those beyond are lost. */
const unwrittenCharsMax = 1_048_576;

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
  const destination = pino.destination({ dest: 2, sync: true, maxLength: unwrittenCharsMax });
  // Without a listener a line that cannot be written, as on a full disk, would fail whoever logs it, and a sale with it.
  destination.on('error', () => undefined);
  return pino(
    {
      level,
      base: null,
      redact: { paths: secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
    },
    destination,
  );
}
