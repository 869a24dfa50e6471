import type { Route } from './routes.ts';

const ignoredFieldsMax = 16;

/** The names of unknown fields, if a header can carry them (D-09). Values stay out. */
export function unknownFields(body: unknown, route: Route): string[] {
  if (typeof body !== 'object' || body === null) return [];
  const unknown = Object.keys(body).filter((name) => !route.bodyFields.has(name));
  return unknown.filter((name) => /^[\w.-]{1,64}$/.test(name)).slice(0, ignoredFieldsMax);
}
