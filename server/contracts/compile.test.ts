import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compileContracts, contractFolders } from './compile.ts';

const artifactsFolder = join(import.meta.dirname, 'artifacts');
// The compiler takes about 3 s of one core, and several times that on a busy machine.
const compileTimeoutMs = 120_000;

test('The committed artifacts equal the compiled Solidity sources, byte for byte', {
  timeout: compileTimeoutMs,
}, () => {
  for (const folder of contractFolders) {
    const compiled = compileContracts(folder);
    expect([...compiled.keys()].toSorted()).toEqual(readdirSync(join(folder, 'artifacts')).toSorted());
    for (const [name, text] of compiled) {
      expect(readFileSync(join(folder, 'artifacts', name), 'utf8'), name).toBe(text);
    }
  }
});

test('An artifact names its compiler and its settings, so that a build can be repeated', () => {
  const artifact: unknown = JSON.parse(readFileSync(join(artifactsFolder, 'PaymentToken.json'), 'utf8'));
  expect(artifact).toMatchObject({
    contractName: 'PaymentToken',
    bytecode: expect.stringMatching(/^0x([0-9a-f]{2})+$/),
    compiler: expect.stringMatching(/^solc 0\.8\.37\+/),
    settings: { evmVersion: 'cancun' },
  });
});
