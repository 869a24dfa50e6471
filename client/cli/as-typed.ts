/** Writes the commands of a text as a person types them: npm scripts in the repository, `npx` with the package. */
export function asTyped(text: string, moduleUrl: string = import.meta.url): string {
  // Only the package has compiled modules.
  if (moduleUrl.endsWith('.ts')) return text;
  return text
    .replace(/npm run (?:--silent )?(\w+)(?: --)?/g, 'npx paid-inference $1')
    .replaceAll('"npm start"', '"npm start" in the repository');
}
