import { expect, it } from 'vitest';
import { fakeSymbol } from '../../testing/chain/fake-chain.ts';
import { type NetworkEdits, startNetworks } from '../../testing/chain/networks.ts';
import { type Change, startFakeTarget } from '../../testing/fake-target.ts';
import { judged } from '../../testing/judged.ts';

/** The result of the check of the symbol, with a node. */
async function judgedWith(change: Change, edits: NetworkEdits = {}) {
  await using gateway = await startFakeTarget(change);
  await using networks = await startNetworks(gateway.url, edits);
  const { results } = await judged(
    { ...gateway, url: networks.url },
    { filter: 'signature.domain.name', chainRpcUrl: networks.chainRpcUrl },
  );
  return results.find(({ title }) => title.includes('symbol'));
}

/** Takes the symbol for the domain name. */
const takingSymbols: Change = ({ isSigned }) => ({
  isSigned: (payment, offer) =>
    isSigned(payment, offer) || isSigned(payment, { ...offer, extra: { name: fakeSymbol, version: '1' } }),
});

it('fails a gateway that takes the symbol of its token for the domain name (§4.4, D-250)', async () => {
  expect(await judgedWith(takingSymbols)).toMatchObject({ outcome: 'fail' });
});

it('passes a gateway that refuses the symbol', async () => {
  expect(await judgedWith(() => ({}))).toMatchObject({ outcome: 'pass' });
});

it('is not applicable if the node shows no symbol', async () => {
  expect(await judgedWith(takingSymbols, { chain: { isGoneSoon: true } })).toMatchObject({
    outcome: 'not-applicable',
  });
});
