/** A string with the colon behind it where it is a name, or a bracket. Everything else of a JSON text is left out. */
const token = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[{}[\]]/gs;

/**
 * The first name that stands twice in one object of a JSON text; null where none does. RFC 8785 asks for I-JSON, which has
 * no such objects: which of the two counts, every reader may decide for itself.
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
