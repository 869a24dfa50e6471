import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

/** Compiles a program of this folder, and returns the messages of the compiler. */
function compile(program: string): string {
  const file = join(import.meta.dirname, 'compared-types.mts');
  const config = join(import.meta.dirname, 'compared-types.json');
  writeFileSync(file, program);
  const compilerOptions = { noEmit: true, composite: false, incremental: false, skipLibCheck: true };
  writeFileSync(
    config,
    JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, include: [], files: [file] }),
  );
  try {
    execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', config], {
      encoding: 'utf8',
    });
    return '';
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout);
  } finally {
    rmSync(file);
    rmSync(config);
  }
}

test('the engine uses the package as its types say (D-330)', () => {
  const program = (type: string) => `
    import * as library from 'node-llama-cpp';
    import type { LlamaLibrary } from '../inference/llama/library.ts';
    export const used: ${type} = library;
  `;
  expect(compile(program('LlamaLibrary'))).toBe('');
  expect(compile(program('LlamaLibrary & { missing(): void }'))).toContain('missing');
});
