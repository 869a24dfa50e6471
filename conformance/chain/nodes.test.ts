import { describe, expect, it } from 'vitest';
import { judge } from '../suite/judge.ts';
import { memoryJournal } from '../testing/memory-journal.ts';
import { json, startProxy } from '../testing/proxy.ts';

const nobody = 'http://user:secret@127.0.0.1:1/key';

/** What a run says whose nodes answer `eth_chainId` so, and how much of it reached the target. */
async function ranWith(ids: { readonly chain?: unknown; readonly ledger?: unknown }, urls = {}) {
  const sentToTarget: string[] = [];
  await using host = await startProxy(nobody, async ({ path, body }) => {
    const isOf = (name: string) => path === `/${name}`;
    if (isOf('chain') || isOf('ledger')) {
      const result = isOf('chain') ? ids.chain : ids.ledger;
      return json(200, { jsonrpc: '2.0', id: JSON.parse(body).id, result });
    }
    sentToTarget.push(path);
    return json(404, {});
  });
  const judged = await judge({
    targetUrl: host.url,
    profiles: ['paid'],
    filter: undefined,
    funded: {
      privateKey: `0x${'11'.repeat(32)}`,
      caps: { perRequestUnits: 1n, totalUnits: 1n },
      journal: memoryJournal(),
    },
    ...('chain' in ids && { chainRpcUrl: `${host.url}/chain` }),
    ...('ledger' in ids && { ledgerRpcUrl: `${host.url}/ledger` }),
    ...urls,
  });
  return { usage: judged.ok ? undefined : judged.usage, sentToTarget };
}

describe('nodes are asked before anything is sent, and a run ends there', () => {
  it('with the chain that a node is of, and the one that it should be of', async () => {
    expect(await ranWith({ chain: '0x2105' })).toEqual({
      usage: 'the node of --chain-rpc is of chain 8453; it should be of 84532, where payments settle',
      sentToTarget: [],
    });
  });

  it.each([
    ['chainRpcUrl', '--chain-rpc'],
    ['ledgerRpcUrl', '--ledger-rpc'],
  ])('where nobody answers at %s, whose URL is not repeated', async (option, name) => {
    const { usage, sentToTarget } = await ranWith({}, { [option]: nobody });
    expect(usage).toContain(`the node of ${name} gave no answer to eth_chainId: `);
    expect(usage).not.toContain('secret');
    expect(sentToTarget).toEqual([]);
  });

  it.each(['chain', 'ledger'])('where what answers for the node of the %s knows no chain', async (name) => {
    const { usage, sentToTarget } = await ranWith({ [name]: 'pong' });
    expect(usage).toBe(`the node of --${name}-rpc answered eth_chainId with "pong": that is no chain`);
    expect(sentToTarget).toEqual([]);
  });
});

it('goes on with nodes of the test network and of any ledger: only a proof says on which chain that is', async () => {
  const { usage, sentToTarget } = await ranWith({ chain: '0x14a34', ledger: '0x1' });
  expect(usage).toContain('no model to ask for');
  expect(sentToTarget).toEqual(['/v1/models']);
});
