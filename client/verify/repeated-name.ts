/** Matches a string, with its colon if it is a name, or a bracket. */
const token = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[{}[\]]/gs;

/**
 * The first duplicate name in one object of a JSON text; null without duplicates. RFC 8785 requires I-JSON,
 * which forbids duplicates: each reader may take another of the values.
 */
export function repeatedNameIn(text: string): string | null {
  const open: (Set<string> | null)[] = [];
  for (const [whole, , colon] of text.matchAll(token)) {
    if (whole === '{') open.push(new Set());
    else if (whole === '[') open.push(null);
    else if (whole === '}' || whole === ']') open.pop();
    else if (colon !== undefined) {
      const name: string = JSON.parse(whole.slice(0, -colon.length));
      const names = open.at(-1);
      if (names?.has(name)) return name;
      names?.add(name);
    }
  }
  return null;
}
