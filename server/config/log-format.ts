import type { Environment } from './environment.ts';

const formats = ['json', 'pretty'] as const;

/**
 * Reads `LOG_FORMAT`; null if it is not set. It is no setting of the file, because it depends on the reader of
 * the log.
 */
export function readLogFormat(environment: Environment, faults: string[]): (typeof formats)[number] | null {
  const text = environment['LOG_FORMAT'];
  if (!text) return null;
  const format = formats.find((known) => known === text);
  if (format === undefined)
    faults.push(`LOG_FORMAT: is ${JSON.stringify(text)}; it must be one of ${formats.join(', ')}`);
  return format ?? null;
}
