import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from './load.ts';
import { renamedSettings } from './renamed.ts';
import { advancedSettings } from './schema.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'paid-inference-renamed-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function readFaults(yaml: string): readonly string[] {
  const file = join(folder, 'gateway.yaml');
  writeFileSync(file, yaml);
  const loaded = loadConfig(file, {});
  return loaded.ok ? [] : loaded.fault;
}

describe('A setting under its old name', () => {
  it.each(Object.entries(renamedSettings))('%s gives one error that names %s', (old, name) => {
    expect(readFaults(`advanced: { ${old}: 100 }`)).toEqual([
      `advanced.${old}: is called ${name} now. Rename it.`,
    ]);
    expect(Object.keys(advancedSettings)).toContain(name);
  });

  it('at its old place gives one error with both changes', () => {
    expect(readFaults('ledgerAskMs: 100')).toEqual([
      'ledgerAskMs: is called storeAskMs now, and is under advanced. Write advanced: { storeAskMs: ... }.',
    ]);
  });

  it('LEDGER_URL gives one error that names DATABASE_URL', () => {
    const loaded = loadConfig(null, { LEDGER_URL: 'postgres://127.0.0.1/store' });
    expect(loaded).toEqual({ ok: false, fault: ['LEDGER_URL: is called DATABASE_URL now. Rename it.'] });
  });

  it('is no error under its new name', () => {
    expect(readFaults('advanced: { storeAskMs: 100 }')).toEqual([]);
  });
});
