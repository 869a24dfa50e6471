import { decodePaymentReceipt } from '@paid-inference/contract/headers';
import { describe, expect, it } from 'vitest';
import type { StoredPayment } from '../store/reader.ts';
import { asset, createClaim, inclusionAt, now, randomAddress } from '../testing/store/claims.ts';
import { unixSeconds } from '../types/units.ts';
import { readRows, type Totals } from './read-rows.ts';
import { type ExportedRow, toRow, writeCsv, writeJson } from './rows.ts';

const payer = randomAddress();
const { txHash } = inclusionAt(7);
const settled: StoredPayment = {
  id: 1,
  state: 'final',
  asset,
  authorization: createClaim(payer, 2n ** 70n).authorization,
  settlementType: 'private',
  createdAt: now,
  settledAt: unixSeconds(now + 1),
  isOwed: false,
  failure: null,
  txHash,
  block: 7,
};
const failed: StoredPayment = {
  ...settled,
  id: 2,
  state: 'failed',
  settledAt: null,
  failure: 'a "quoted", reason',
  txHash: null,
  block: null,
};

async function* rowsOf(...rows: readonly ExportedRow[]): AsyncGenerator<ExportedRow, void> {
  yield* rows;
}

async function join(texts: AsyncIterable<string>): Promise<string> {
  let all = '';
  for await (const text of texts) all += text;
  return all;
}

describe('The CSV of an export', () => {
  it('has a line of names, and a line for each payment', async () => {
    const text = await join(writeCsv(rowsOf(toRow(settled, 'paid'), toRow(failed, null))));
    const [names = '', first = '', second = '', end] = text.split('\r\n');
    expect(end).toBe('');
    const cells = first.split(',');
    const row = Object.fromEntries(names.split(',').map((name, at) => [name, cells[at]]));
    expect(row).toMatchObject({
      id: '1',
      state: 'final',
      createdAt: '2023-11-14T22:13:20Z',
      settledAt: '2023-11-14T22:13:21Z',
      chainId: '84532',
      asset,
      payer,
      amount: String(2n ** 70n),
      failure: '',
      isOwed: 'false',
      txHash,
      block: '7',
      onChain: 'paid',
    });
    expect(decodePaymentReceipt(row['receipt'] ?? '')).toMatchObject({
      ok: true,
      value: { success: true, txHash, payer, amount: String(2n ** 70n) },
    });
    expect(second).toContain(',"a ""quoted"", reason",');
  });

  it('has all members of a row', async () => {
    const [names] = (await join(writeCsv(rowsOf()))).split('\r\n');
    expect(names?.split(',')).toEqual(Object.keys(toRow(settled, null)));
  });
});

describe('The JSON of an export', () => {
  it('is an array of the rows, with the receipt of each charged payment', async () => {
    const rows = JSON.parse(await join(writeJson(rowsOf(toRow(settled, 'missing'), toRow(failed, null)))));
    expect(rows).toMatchObject([
      { id: 1, amount: String(2n ** 70n), receipt: { success: true, txHash }, onChain: 'missing' },
      { id: 2, failure: 'a "quoted", reason', receipt: null, onChain: null },
    ]);
  });

  it('of no payments is an empty array', async () => {
    expect(JSON.parse(await join(writeJson(rowsOf())))).toEqual([]);
  });
});

describe('The rows of an export', () => {
  it('are read in pages, of which one is in memory', async () => {
    const asked: number[] = [];
    let underWay = 0;
    const store = {
      async readPage(_filter: object, after: number, max: number) {
        asked.push(after);
        expect(underWay).toBe(asked.length - 1);
        return Array.from({ length: Math.min(max, 1_201 - after) }, (_, at) => ({
          ...settled,
          id: after + at + 1,
        }));
      },
    };
    const totals: Totals = { payments: 0, charged: 0, amount: 0n };
    const filter = { from: null, until: null, states: [] };
    for await (const { id } of readRows(store, filter, totals, null)) if (id % 500 === 0) underWay += 1;
    expect(asked).toEqual([0, 500, 1_000]);
    expect(totals).toEqual({ payments: 1_201, charged: 1_201, amount: 1_201n * 2n ** 70n });
  });
});
