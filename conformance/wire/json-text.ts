/**
 * Writes a value as JSON, with any depth of nesting. `JSON.stringify` is recursive and overflows the stack at a
 * few thousand levels, while `JSON.parse` reads them.
 */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return flatly(value);
  }
}

/** A value, or a part that is already JSON text. */
type Part = { readonly value: unknown } | string;

/** Writes a value that was read from JSON, without recursion. */
function flatly(whole: unknown): string {
  const written: string[] = [];
  const left: Part[] = [{ value: whole }];
  for (let part = left.pop(); part !== undefined; part = left.pop()) {
    if (typeof part === 'string') written.push(part);
    else {
      const parts = listParts(part.value);
      // Pushed in reverse, because the last part is popped first. One by one, because a call has a limit of
      // arguments.
      for (let index = parts.length - 1; index >= 0; index -= 1) left.push(parts[index] ?? '');
    }
  }
  return written.join('');
}

function listParts(value: unknown): readonly Part[] {
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
