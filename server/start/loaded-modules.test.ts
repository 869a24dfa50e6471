import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

/** Lists the files, and Node's own modules, that Node loads for some modules. */
function listLoaded(...entries: readonly string[]): readonly string[] {
  const script = `
    const loaded = [];
    require('node:module').registerHooks({
      load(url, context, next) { loaded.push(url); return next(url, context); },
    });
    Promise.all(${JSON.stringify(entries)}.map((entry) => import(entry)))
      .then(() => process.stdout.write(JSON.stringify([...loaded, ...process.moduleLoadList])));`;
  return JSON.parse(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }));
}

it('loads no library of 30 MB for a start, and nothing of the tests or of the toolchain', () => {
  const entry = (path: string) => new URL(path, import.meta.url).href;
  const loaded = listLoaded(entry('./run-gateway.ts'), entry('./start.ts'), entry('../devnet/devnet.ts'));
  expect(loaded).toContainEqual(expect.stringContaining('/server/gateway.ts'));
  // ethers stands in for libsecp256k1 where that is not built.
  const isBuilt = process.platform === 'linux' && process.arch === 'x64';
  const unwanted =
    /\/node_modules\/(gpt-tokenizer|pg|prom-client|@opentelemetry|@openzeppelin|@typespec|viem)\/|\/(testing|conformance|spec)\//;
  expect(loaded.filter((url) => unwanted.test(url))).toEqual([]);
  expect(loaded).toContain('NativeModule http');
  expect(loaded).not.toContain('NativeModule internal/deps/undici/undici');
  if (isBuilt) expect(loaded.filter((url) => url.includes('/node_modules/ethers/'))).toEqual([]);
});
