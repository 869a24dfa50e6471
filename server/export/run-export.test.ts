import { randomBytes } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { transferCalldata } from '../chain/calldata.ts';
import { ask } from '../devnet/deployer.ts';
import type { RunningGateway } from '../start/start.ts';
import { sendAsThirdParty } from '../testing/chain/send-as-third-party.ts';
import { createCountingEngine } from '../testing/counting-engine.ts';
import { chatBody, chatPath, decodeOffer, decodeReceipt, paymentFor, post } from '../testing/payer.ts';
import { ledgerEnvironment } from '../testing/proof/ledger-environment.ts';
import { runGatewayCommand } from '../testing/run-gateway-command.ts';
import { openStartedGateways, type StartedGateways } from '../testing/started-gateways.ts';
import { shareTestServer, type TestServer } from '../testing/store/postgres-server.ts';
import { type Address, atomicAmount } from '../types/units.ts';

let fixture: StartedGateways;
let server: TestServer;
let gateway: RunningGateway | null = null;
let change: Record<string, string>;

beforeAll(async () => {
  [fixture, server] = await Promise.all([openStartedGateways(), shareTestServer()]);
});
afterAll(async () => {
  await server.remove();
  await fixture.close();
});
beforeEach(() => {
  change = {
    DATABASE_FILE: join(fixture.folder, `${randomBytes(4).toString('hex')}.db`),
    PAY_TO: `0x${randomBytes(20).toString('hex')}`,
  };
});
afterEach(async () => {
  await gateway?.stop();
  gateway = null;
});

async function start(): Promise<RunningGateway> {
  const started = await fixture.start(change, createCountingEngine());
  if (!started.ok) throw new Error(started.fault.join('\n'));
  gateway = started.value;
  return gateway;
}

async function signed({ url }: RunningGateway): Promise<Record<string, string>> {
  const offer = decodeOffer(await post(`${url}${chatPath}`, chatBody));
  return paymentFor(offer, fixture.devnet.payer.privateKey);
}

async function buy(gateway: RunningGateway) {
  const header = await signed(gateway);
  const response = await post(`${gateway.url}${chatPath}`, chatBody, header);
  expect(response.status).toBe(200);
  return { header, receipt: decodeReceipt(response) };
}

function runExport(...args: readonly string[]) {
  const { devnet } = fixture;
  const environment = {
    CHAIN_RPC_URL: devnet.rpcUrl,
    TOKEN_ADDRESS: devnet.token.address,
    TOKEN_NAME: devnet.token.name,
    RELAYER_KEY: devnet.relayerKey,
    ...ledgerEnvironment(devnet.ledger),
    ...change,
  };
  return runGatewayCommand(['export', ...args], environment, fixture.folder);
}

/** Changes the rows of the stopped gateway's store. */
function changeStore(sql: string): void {
  const database = new DatabaseSync(change['DATABASE_FILE'] ?? '');
  database.exec(sql);
  database.close();
}

async function transferPlainly(value: bigint): Promise<void> {
  const { payer, token } = fixture.devnet;
  await ask(fixture.rpc, 'anvil_impersonateAccount', [payer.address]);
  await ask(fixture.rpc, 'anvil_setBalance', [payer.address, '0xde0b6b3a7640000']);
  const data = transferCalldata(change['PAY_TO'] as Address, atomicAmount(value));
  await ask(fixture.rpc, 'eth_sendTransaction', [{ from: payer.address, to: token.address, data }]);
}

describe('paid-inference-gateway export', () => {
  it.each(['SQLite', 'PostgreSQL'])(
    'writes payments with their receipts beside a gateway on %s',
    async (driver) => {
      if (driver === 'PostgreSQL') {
        change['DATABASE_URL'] = await server.createDatabase();
        change['COMPLETION_KEY'] = `0x${'ab'.repeat(32)}`;
      }
      const running = await start();
      const bought = [await buy(running), await buy(running)];
      const { code, stdout, stderr } = await runExport('--format', 'json', '--reconcile');
      const rows = JSON.parse(stdout);
      expect(rows).toMatchObject(
        bought.map(({ receipt }) => ({
          state: expect.stringMatching(/^(settled|final)$/),
          payTo: change['PAY_TO'],
          amount: receipt.amount,
          txHash: receipt.txHash,
          receipt: { ...receipt, payer: receipt.payer.toLowerCase() },
          onChain: 'paid',
        })),
      );
      expect(stderr).toMatch(/^Exported 2 payments, 2 of them charged, with \d+ units together\.$/m);
      expect(stderr).toMatch(
        /^Compared 2 charged payments with the chain, and 2 transfers in the blocks .* Differences: 0\.$/m,
      );
      expect(code).toBe(0);
      const csv = await runExport('--format', 'csv', '--state', 'settled,final');
      expect([csv.code, csv.stdout.split('\r\n').length]).toEqual([0, 4]);
      for (const { header } of bought) {
        const { payload } = JSON.parse(Buffer.from(header['X-PAYMENT'] ?? '', 'base64').toString());
        for (const secret of [payload.signature.slice(2), 'pong', 'ping'])
          expect(stdout + csv.stdout).not.toContain(secret);
      }
      expect(await buy(running)).toBeDefined();
    },
  );

  it('writes a file for its owner alone, and no existing one', async () => {
    const running = await start();
    await buy(running);
    const out = join(fixture.folder, `${randomBytes(4).toString('hex')}.csv`);
    expect(await runExport('--out', out)).toMatchObject({ code: 0, stdout: '' });
    expect(readFileSync(out, 'utf8').split('\r\n')).toHaveLength(3);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    expect(await runExport('--out', out)).toMatchObject({
      code: 1,
      stderr: `The export failed: ${out} exists already. Name another file with --out\n`,
    });
    expect(readFileSync(out, 'utf8').split('\r\n')).toHaveLength(3);
  });

  it('writes the payments of a time', async () => {
    const running = await start();
    await buy(running);
    const countRows = async (...args: readonly string[]) => {
      const { code, stdout } = await runExport('--format', 'json', ...args);
      expect(code).toBe(0);
      return JSON.parse(stdout).length;
    };
    expect(await countRows('--from', '2023-11-01', '--to', '2123-11-01T12:00:00+02:00')).toBe(1);
    expect(await countRows('--to', '2023-11-01')).toBe(0);
    expect(await countRows('--from', '2123-11-01T00:00:00Z')).toBe(0);
  });

  it.each([
    [['--format', 'xml'], 'must be csv or json'],
    [['--from', 'yesterday'], 'such as 2026-11-01'],
    [['--to', '2026-02-30'], '--to is 2026-02-30'],
    [['--from', '2026-13-01'], '--from is 2026-13-01'],
    [['--from', '2026-11-01T12:00'], 'such as 2026-11-01'],
    [['--from', '2026-11-02', '--to', '2026-11-01'], '--from must be before --to'],
    [['--state', 'paid'], 'the states are reserved'],
    [['--out', ''], '--out has no name of a new file'],
    [['--nope'], 'export -- --help'],
  ])('rejects %j', async (args, sentence) => {
    expect(await runExport(...args)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(sentence),
    });
  });

  it('names all wrong options at once', async () => {
    const { code, stderr } = await runExport(
      '--format',
      'xml',
      '--from',
      'x',
      '--state',
      'paid',
      '--out',
      '',
    );
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^Wrong usage:\n( {2}- --(format|out|from|state) [^\n]*\n){4} {2}- [^\n]*--help/),
    ]);
  });

  it('does not run without the options that npm kept', async () => {
    change = { ...change, npm_lifecycle_event: 'export', npm_config_reconcile: 'true' };
    expect(await runExport()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('npm run -s export -- --reconcile'),
    });
  });

  it('says what to do about a store that it cannot read', async () => {
    writeFileSync(change['DATABASE_FILE'] ?? '', 'no store '.repeat(100));
    const damaged = await runExport();
    expect(damaged).toMatchObject({
      code: 1,
      stderr: `The export failed: the store ${change['DATABASE_FILE']} cannot be read: file is not a database. Repair it, or put a backup in its place.\n`,
    });
    change['DATABASE_URL'] = 'postgres://127.0.0.1:1/none';
    change['COMPLETION_KEY'] = `0x${'ab'.repeat(32)}`;
    expect((await runExport()).stderr).toMatch(
      /the shared store cannot be read: .*\. Check DATABASE_URL, and that its server is up\.$/m,
    );
  });

  it('needs a store, and a real chain to reconcile', async () => {
    expect(await runExport()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no store at'),
    });
    const devnet = await runGatewayCommand(['export', '--reconcile'], {}, fixture.folder);
    expect(devnet).toMatchObject({ code: 2, stderr: expect.stringContaining('needs a real chain') });
  });
});

describe('The reconciliation of an export lists', () => {
  const reconcile = async () => {
    const { code, stdout, stderr } = await runExport('--format', 'json', '--reconcile');
    const differences = stderr.split('\n').filter((line) => line.startsWith('Difference: '));
    return { code, differences, rows: JSON.parse(stdout), stderr };
  };

  it('a charged payment whose transaction the chain does not have, or has without this transfer', async () => {
    const running = await start();
    await buy(running);
    const { receipt } = await buy(running);
    await running.stop();
    gateway = null;
    const bogus = `0x${'be'.repeat(32)}`;
    changeStore(
      `UPDATE payment SET tx_hash = '${bogus}' WHERE id = 1; UPDATE payment SET amount = 5 WHERE id = 2`,
    );
    const { code, differences, rows } = await reconcile();
    expect(code).toBe(3);
    expect(differences).toEqual([
      expect.stringMatching(`payment 1 is (settled|final), and the chain shows no transaction ${bogus}`),
      expect.stringMatching(
        `payment 2 is (settled|final), and the transaction ${receipt.txHash} has no transfer of 5`,
      ),
      expect.stringMatching(`payment 1 names the transaction ${bogus}`),
      expect.stringMatching(/and payment 2 is for 5\.$/),
    ]);
    expect(rows).toMatchObject([{ onChain: 'missing' }, { onChain: 'missing' }]);
  });

  it('a transfer without a payment, and one without an authorization', async () => {
    const running = await start();
    const { receipt } = await buy(running);
    await buy(running);
    await running.stop();
    gateway = null;
    changeStore('PRAGMA foreign_keys = OFF; DELETE FROM payment WHERE id = 1');
    await transferPlainly(77n);
    const { code, differences } = await reconcile();
    expect(code).toBe(3);
    expect(differences).toEqual([
      expect.stringMatching(
        `the transaction ${receipt.txHash} moved ${receipt.amount} from .* this store has no payment`,
      ),
      expect.stringMatching(/moved 77 from 0x\w{40}, without an authorization/),
    ]);
  });

  it('a transfer of a third party, whose payer gets no completion for it', async () => {
    const running = await start();
    const header = await signed(running);
    await buy(running);
    await sendAsThirdParty(fixture, header);
    expect((await post(`${running.url}${chatPath}`, chatBody, header)).status).toBe(402);
    const { code, differences } = await reconcile();
    expect(code).toBe(3);
    expect(differences).toHaveLength(1);
  });

  it('no payment that the chain has yet to decide about', async () => {
    const running = await start();
    await buy(running);
    await running.stop();
    gateway = null;
    changeStore("UPDATE payment SET state = 'submitted'");
    const { code, differences, stderr } = await reconcile();
    expect([code, differences]).toEqual([0, []]);
    expect(stderr).toContain('The gateway has yet to see 1 transfer.');
  });

  it('nothing when the chain is away, and fails', async () => {
    const running = await start();
    await buy(running);
    change['CHAIN_RPC_URL'] = 'http://127.0.0.1:1';
    expect(await runExport('--reconcile')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/The export failed: .*ECONNREFUSED/),
    });
  });
});
