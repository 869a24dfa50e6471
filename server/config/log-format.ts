import type { Environment } from './environment.ts';

const formats = ['json', 'pretty'] as const;

/** Reads `LOG_FORMAT`, which has no place in the settings file: it depends on who reads the log. Null where it is not set. */
export function readLogFormat(environment: Environment, faults: string[]): (typeof formats)[number] | null {
  const text = environment['LOG_FORMAT'];
  if (!text) return null;
  const format = formats.find((known) => known === text);
  if (format === undefined)
    faults.push(`LOG_FORMAT: is ${JSON.stringify(text)}; it must be one of ${formats.join(', ')}`);
  return format ?? null;
}
