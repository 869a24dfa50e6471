const secretNames: ReadonlySet<string> = new Set([
  'signature',
  'privateKey',
  'relayerKey',
  'relayerKeys',
  'facilitatorToken',
  'key',
  'apiKey',
  'prompt',
  'messages',
  'completion',
  'body',
]);

/** Levels of objects that a line of the log shows. */
const levelsMax = 6;

/**
 * Replaces the values of secret names at every level, in lists too. Returns the same object if it has none, and
 * never changes it. Objects below the last level are left out.
 */
export function hideSecrets<T extends object>(fields: T, levels = levelsMax): T {
  let copy: Record<string, unknown> | null = null;
  for (const [name, value] of Object.entries(fields)) {
    const shown = secretNames.has(name) ? '[redacted]' : hideWithin(value, levels - 1);
    if (shown === value) continue;
    copy ??= (Array.isArray(fields) ? [...fields] : { ...fields }) as Record<string, unknown>;
    copy[name] = shown;
  }
  return (copy ?? fields) as T;
}

function hideWithin(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  // The serializer of errors hides their secrets. The entries of bytes are numbers.
  if (value instanceof Error || ArrayBuffer.isView(value)) return value;
  return levels === 0 ? '[deep]' : hideSecrets(value, levels);
}
