import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build, type Plugin } from 'vite';
import { renderDocs } from './docs/render-docs.ts';

/**
 * Builds the web page into `built/`, which is committed (D-372). With `--check`, compares `built/` with a new build, and
 * fails when they differ.
 */
const here = fileURLToPath(new URL('.', import.meta.url));
const page = join(here, 'page');
const built = join(here, 'built');

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
// Inside this folder, so that the build finds the packages of the workspace.
const into = mkdtempSync(join(here, '.build-'));
try {
  await buildInto(into);
  if (values.check) compare();
  else replaceBuilt();
} finally {
  rmSync(into, { recursive: true, force: true });
}

async function buildInto(folder: string): Promise<void> {
  await build({
    root: page,
    // The page may stand behind a path, so that its files name each other by relative paths.
    base: './',
    configFile: false,
    logLevel: 'warn',
    plugins: [programs()],
    build: {
      outDir: folder,
      rolldownOptions: { input: [join(page, 'index.html'), join(page, 'operator.html')] },
      emptyOutDir: true,
      target: 'es2022',
      // An inlined file would be a data: URL, which the policy of the page forbids for scripts.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 1_024,
    },
  });
  const shell = placeAssets(folder, 'index.html');
  placeAssets(folder, 'operator.html');
  writeFileSync(join(folder, 'docs.html'), renderDocs(shell));
  // The views of an id have one more part in their path.
  writeFileSync(join(folder, 'id.html'), shell.replaceAll('="./', '="../'));
}

/** Points a page at `web/assets/`, where the gateway serves the files that the build put into `assets/`. */
function placeAssets(folder: string, name: string): string {
  const file = join(folder, name);
  const placed = readFileSync(file, 'utf8').replaceAll('="./assets/', '="./web/assets/');
  writeFileSync(file, placed);
  return placed;
}

/** Provides the programs of the manuals to the page. */
function programs(): Plugin {
  const name = 'virtual:programs';
  return {
    name,
    resolveId: (id) => (id === name ? `\0${name}` : null),
    load(id) {
      if (id !== `\0${name}`) return null;
      const manual = readFileSync(join(here, '../../client/OTHER-LANGUAGES.md'), 'utf8');
      const goProgram = /^```go\n([\s\S]*?)^```$/m.exec(manual)?.[1];
      if (goProgram === undefined) throw new Error('client/OTHER-LANGUAGES.md has no program in Go.');
      return `export const goProgram = ${JSON.stringify(goProgram)};`;
    },
  };
}

function replaceBuilt(): void {
  rmSync(built, { recursive: true, force: true });
  cpSync(into, built, { recursive: true });
  console.log(`built/ has ${list(built).length} files`);
}

function compare(): void {
  const different = [...new Set([...list(into), ...list(built)])].filter(
    (name) => read(into, name) !== read(built, name),
  );
  if (different.length === 0) {
    console.log('built/ is up to date');
    return;
  }
  console.error(
    `built/ is out of date: ${different.join(', ')}. Run npm run build:web and commit the result.`,
  );
  process.exitCode = 1;
}

function list(folder: string): readonly string[] {
  return globSync('**/*.*', { cwd: folder }).sort();
}

function read(folder: string, name: string): string | null {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch {
    return null;
  }
}
