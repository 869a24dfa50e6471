import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestNode } from '../testing/node.ts';
import { makePurchases, type Purchases } from '../testing/purchases.ts';
import { listSteps } from '../testing/tamper.ts';

// Garbage from a node proves nothing: it makes no step false, and nothing throws.

let scene: Purchases['scene'];
let bought: Purchases['bought'];

beforeAll(async () => {
  ({ scene, bought } = await makePurchases());
});
afterAll(() => scene[Symbol.asyncDispose]());

const garbage = [null, {}, [], '0x', 'zzz', '0xzz', 5, -1, true, { logs: 5 }, { status: '0x1' }];

async function verdictsBehind(which: 'ledgerRpcUrl' | 'chainRpcUrl', method: string, given: unknown) {
  const chain = which === 'ledgerRpcUrl' ? scene.ledgerChain : scene.paymentChain;
  await using node = await startTestNode(chain.url, async (call, upstream) =>
    call.method === method ? given : upstream(),
  );
  return listSteps(await scene.verify(bought.individual, { [which]: node.url }));
}

describe('Garbage from a node makes no step false:', () => {
  test.each(['eth_chainId', 'eth_call', 'eth_getLogs', 'eth_blockNumber', 'eth_getBlockByNumber'])(
    "%s of the proof ledger's node",
    async (method) => {
      for (const given of garbage) {
        const found = await verdictsBehind('ledgerRpcUrl', method, given);
        const seen = Object.entries(found).filter(([, said]) => said.startsWith('false'));
        expect(seen, JSON.stringify(given)).toEqual([]);
      }
    },
  );

  test.each(['eth_chainId', 'eth_call', 'eth_getBlockByNumber'])(
    "%s of the payment chain's node",
    async (method) => {
      for (const given of garbage) {
        const found = await verdictsBehind('chainRpcUrl', method, given);
        expect(found['payment'], JSON.stringify(given)).toMatch(/^(unknown|true)/);
      }
    },
  );

  test('an invalid transaction receipt of either chain', async () => {
    // Null is valid: it means that there is no such transaction.
    for (const given of garbage.filter((each) => each !== null)) {
      const { payment } = await verdictsBehind('chainRpcUrl', 'eth_getTransactionReceipt', given);
      expect(payment, JSON.stringify(given)).toMatch(/^unknown/);
      const { inclusion } = await verdictsBehind('ledgerRpcUrl', 'eth_getTransactionReceipt', given);
      expect(inclusion, JSON.stringify(given)).toMatch(/^unknown/);
    }
  });

  test('an invalid chain id is reported', async () => {
    for (const given of [null, {}, [], '0x']) {
      const { key, inclusion } = await verdictsBehind('ledgerRpcUrl', 'eth_chainId', given);
      const said = "unknown: the proof ledger's node failed: it returned no chain id";
      expect([key, inclusion]).toEqual([said, said]);
      const { payment } = await verdictsBehind('chainRpcUrl', 'eth_chainId', given);
      expect(payment).toBe("unknown: the chain's node failed: it returned no chain id");
    }
  });

  test('a record without the time of its block, which a revocation is compared with', async () => {
    const { inclusion } = await verdictsBehind('ledgerRpcUrl', 'eth_getBlockByNumber', null);
    expect(inclusion).toMatch(/^unknown: /);
  });
});
