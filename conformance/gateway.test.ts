import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Contract, JsonRpcProvider } from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { devnetCaps } from './cli/devnet.ts';
import { judge } from './engine/judge.ts';
import { profilesOfAll } from './engine/scope.ts';
import { readKeyFile } from './payment/key.ts';
import { idsOf } from './testing/judged.ts';

const server = fileURLToPath(new URL('../server/main.ts', import.meta.url));

let folder: string;
let gateway: ChildProcess;
let ready: {
  readonly url: string;
  readonly chain: { readonly rpcUrl: string };
  readonly token: { readonly address: string };
  readonly payer: { readonly address: string; readonly keyFile: string };
};

beforeAll(async () => {
  folder = mkdtempSync(`${tmpdir()}/conformance-gateway-`);
  gateway = spawn(process.execPath, [server, '--json'], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', PORT: '0', LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (!gateway.stdout) throw new Error('the gateway has no stdout');
  const [line] = await Promise.race([
    once(createInterface({ input: gateway.stdout }), 'line'),
    once(gateway, 'exit').then(([code]) => {
      throw new Error(`the gateway ended with ${code} before it was ready`);
    }),
  ]);
  ready = JSON.parse(String(line));
}, 60_000);

afterAll(async () => {
  if (gateway.exitCode === null && gateway.signalCode === null) {
    gateway.kill('SIGTERM');
    await once(gateway, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
}, 30_000);

describe('the reference gateway', () => {
  it('is conformant on all three profiles, with real settlements', { timeout: 180_000 }, async () => {
    const key = readKeyFile(resolve(folder, ready.payer.keyFile));
    if (!key.ok) throw new Error(key.fault);
    const before = await unitsOfPayer();
    const judged = await judge({
      targetUrl: ready.url,
      profiles: profilesOfAll,
      filter: undefined,
      funded: { privateKey: key.privateKey, caps: devnetCaps },
    });
    if (!judged.ok) throw new Error(judged.usage);
    const { report } = judged;
    const open = report.results.filter(({ outcome }) =>
      ['fail', 'warn', 'inconclusive', 'error'].includes(outcome),
    );
    expect(open.map(({ requirement, outcome, detail }) => `${outcome} ${requirement}: ${detail}`)).toEqual(
      [],
    );
    expect(idsOf(report, 'pass')).toContain('receipt.txHash');
    expect(report).toMatchObject({ verdict: 'conformant', exitCode: 0, must: { verified: 116, total: 116 } });
    expect(BigInt(report.spent.settledUnits)).toBeGreaterThan(0n);
    // What the target said that it settled is what left the payer's balance on the chain.
    expect(before - (await unitsOfPayer())).toBe(BigInt(report.spent.settledUnits));
  });
});

async function unitsOfPayer(): Promise<bigint> {
  const provider = new JsonRpcProvider(ready.chain.rpcUrl);
  try {
    const token = new Contract(
      ready.token.address,
      ['function balanceOf(address) view returns (uint256)'],
      provider,
    );
    return await token.getFunction('balanceOf')(ready.payer.address);
  } finally {
    provider.destroy();
  }
}
