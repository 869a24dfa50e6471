import { describe, expect, it } from 'vitest';
import { judge } from '../suite/judge.ts';
import { memoryJournal } from '../testing/memory-journal.ts';
import { json, startProxy } from '../testing/proxy.ts';

const nobody = 'http://user:secret@127.0.0.1:1/key';

/**
 * The fault of a run whose nodes answer `eth_chainId` with these ids, and the requests that reached the target.
 */
async function ranWith(ids: { readonly chain?: unknown; readonly ledger?: unknown }, urls = {}) {
  const sentToTarget: string[] = [];
  await using host = await startProxy(nobody, async ({ path, body }) => {
    const isPath = (name: string) => path === `/${name}`;
    if (isPath('chain') || isPath('ledger')) {
      const result = isPath('chain') ? ids.chain : ids.ledger;
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

describe('an unusable node ends the run before anything is sent', () => {
  it('and names both chains if it is on the wrong chain', async () => {
    expect(await ranWith({ chain: '0x2105' })).toEqual({
      usage:
        'the node of --chain-rpc is on chain 8453, but payments settle on chain 84532. Give a node of chain 84532',
      sentToTarget: [],
    });
  });

  it.each([
    ['chainRpcUrl', '--chain-rpc'],
    ['ledgerRpcUrl', '--ledger-rpc'],
  ])('if %s gives no response, without quoting its URL', async (option, name) => {
    const { usage, sentToTarget } = await ranWith({}, { [option]: nobody });
    expect(usage).toContain(`the node of ${name} gave no response to eth_chainId: `);
    expect(usage).not.toContain('secret');
    expect(sentToTarget).toEqual([]);
  });

  it.each(['chain', 'ledger'])('if the %s node returns no chain id', async (name) => {
    const { usage, sentToTarget } = await ranWith({ [name]: 'pong' });
    expect(usage).toBe(`the node of --${name}-rpc returned no chain id for eth_chainId: "pong"`);
    expect(sentToTarget).toEqual([]);
  });
});

it('accepts a ledger node on any chain, because only a proof names the chain', async () => {
  const { usage, sentToTarget } = await ranWith({ chain: '0x14a34', ledger: '0x1' });
  expect(usage).toContain('no model to ask for');
  expect(sentToTarget).toEqual(['/v1/models']);
});
