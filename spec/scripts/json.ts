export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** Visits every object of a value, each before the values in it. */
export function walk(node: Json, visit: (node: JsonObject) => void): void {
  if (Array.isArray(node)) {
    for (const item of node) walk(item, visit);
  } else if (node !== null && typeof node === 'object') {
    visit(node);
    for (const item of Object.values(node)) walk(item, visit);
  }
}
