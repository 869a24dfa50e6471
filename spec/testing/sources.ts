import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The packages of the workspace: the folders at its top, and nothing else there has sources. */
export const packages = ['spec', 'generated', 'server', 'client', 'conformance'] as const;
export type Package = (typeof packages)[number];

export type Source = {
  readonly package: Package;
  /** From the top of the workspace, with forward slashes. */
  readonly path: string;
  readonly text: string;
};

const root = fileURLToPath(new URL('../..', import.meta.url));
const notOurs = new Set(['node_modules', 'dist', 'coverage', 'artifacts']);
const kinds = /\.(ts|tsp|sol|js|mjs|json|md|txt|yaml)$/;

/** Every text file of every package, installed and compiled ones aside. */
export const sources: readonly Source[] = packages.flatMap((name) =>
  readdirSync(join(root, name), { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => kinds.test(path) && !path.split('/').some((part) => notOurs.has(part)))
    .map((path) => ({
      package: name,
      path: `${name}/${path}`,
      text: readFileSync(join(root, name, path), 'utf8'),
    })),
);

/** TypeScript, the emitted declarations included. */
export const typescriptSources = sources.filter(({ path }) => path.endsWith('.ts'));

/** Not shipped: a test, or by its name or folder what only tests use. */
export function isTest(path: string): boolean {
  return /\.test\.ts$|\/(testing|faults|mutants|independent|bench)\//.test(path);
}

/** The text of a source without its comments, as far as a line or a block of its own goes. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}
