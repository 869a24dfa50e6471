/**
 * JSON of a value, however deep a target has nested it: `JSON.stringify` calls itself for each level, and a few thousand of
 * them are more than a stack holds, while `JSON.parse` reads them all.
 */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return flatly(value);
  }
}

/** A value, or text that is JSON already. */
type Part = { readonly value: unknown } | string;

/** The same for values that were read from JSON, without a call for each level. */
function flatly(whole: unknown): string {
  const written: string[] = [];
  const left: Part[] = [{ value: whole }];
  for (let part = left.pop(); part !== undefined; part = left.pop()) {
    if (typeof part === 'string') written.push(part);
    else {
      const parts = partsOf(part.value);
      // The last first, since the last is taken first. One by one: a long list is more than a call takes.
      for (let index = parts.length - 1; index >= 0; index -= 1) left.push(parts[index] ?? '');
    }
  }
  return written.join('');
}

function partsOf(value: unknown): readonly Part[] {
  if (Array.isArray(value)) {
    return ['[', ...value.flatMap((item: unknown, index) => [index > 0 ? ',' : '', { value: item }]), ']'];
  }
  if (typeof value !== 'object' || value === null) return [JSON.stringify(value) ?? 'null'];
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return [
    '{',
    ...members.flatMap(([name, member], index) => [
      `${index > 0 ? ',' : ''}${JSON.stringify(name)}:`,
      { value: member },
    ]),
    '}',
  ];
}
