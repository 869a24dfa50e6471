import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** A test that imports one of these, directly or through other files, is no unit test. */
const slowModules: readonly string[] = [
  // Chains, database servers and other programs.
  'node:child_process',
  // A whole run of the suite takes seconds, even against a fake.
  'conformance/suite/judge.ts',
];

const folders = '{spec,generated,server,client,conformance}';

/**
 * The unit tests among the test files of a folder, as relative paths: those whose imports reach no slow module. The list
 * comes from the imports, so a test that starts to use a process leaves the list without an edit.
 */
export function listUnitTests(root: string): readonly string[] {
  const imports = new Map<string, readonly string[]>();
  const readImports = (file: string): readonly string[] => {
    const known = imports.get(file);
    if (known !== undefined) return known;
    const found = parseImports(root, file);
    imports.set(file, found);
    return found;
  };
  return globSync(`${folders}/**/*.test.ts`, { cwd: root, exclude: (path) => path.includes('node_modules') })
    .filter((test) => !reachesSlowModule(test, readImports))
    .sort();
}

function reachesSlowModule(test: string, readImports: (file: string) => readonly string[]): boolean {
  const seen = new Set([test]);
  // The set grows while the loop reads it.
  for (const file of seen) {
    if (slowModules.includes(file)) return true;
    if (!file.startsWith('node:')) for (const each of readImports(file)) seen.add(each);
  }
  return false;
}

/** `import … from`, `export … from`, `import '…'` and `import('…')`, but no `import type`, which Node erases. */
const importPattern = /^(?:import|export)(?! type\b)[^;'"]*?\sfrom '([^']+)'|\bimport\s*\(?\s*'([^']+)'/gm;

/** Relative imports as paths from the root, and modules of Node. */
function parseImports(root: string, file: string): readonly string[] {
  if (!existsSync(join(root, file)) || !file.endsWith('.ts')) return [];
  const source = readFileSync(join(root, file), 'utf8');
  const names = [...source.matchAll(importPattern)].map(([, from, dynamic]) => from ?? dynamic ?? '');
  return names.flatMap((name) => {
    if (name.startsWith('.')) return [relative(root, join(root, dirname(file), name))];
    return name.startsWith('node:') ? [name] : [];
  });
}
