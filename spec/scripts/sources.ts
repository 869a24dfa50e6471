import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The packages of the workspace, each a folder at the top. No other folder has sources. */
export const packages = ['spec', 'generated', 'server', 'client', 'conformance'] as const;
export type Package = (typeof packages)[number];

export type Source = {
  readonly package: Package;
  /** Relative to the top of the workspace, with forward slashes. */
  readonly path: string;
  readonly text: string;
};

const root = fileURLToPath(new URL('../..', import.meta.url));
const notOurs = new Set(['node_modules', 'dist', 'coverage', 'artifacts', 'built', 'screenshots']);
const kinds = /\.(ts|mts|tsp|sol|sql|js|mjs|json|md|py|toml|txt|yaml)$/;

/** Every text file of every package, without installed and compiled files. */
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

/** All TypeScript sources, with the emitted declarations. */
export const typescriptSources = sources.filter(({ path }) => path.endsWith('.ts'));

/** The sources whose names follow the glossary: neither the emitted ones nor the table of renamed settings. */
export const namedSources = typescriptSources.filter(
  ({ path }) => !path.startsWith('generated/') && !/^server\/config\/renamed\.(test\.)?ts$/.test(path),
);

/** The functions of the stores. Migrations have the names of older versions too. */
export const sqlSources = sources.filter(
  ({ path }) => path.endsWith('.sql') && !/\/(migrations|testing)\//.test(path),
);

/** Whether a file is not shipped: a test, or support for tests by its name or folder. */
export function isTest(path: string): boolean {
  return /\.test\.ts$|\/(testing|faults|mutants|independent|bench)\//.test(path);
}

/** A source without its block comments and comment lines. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}
