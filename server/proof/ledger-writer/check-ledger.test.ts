import { ContractFactory, id, Wallet } from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpRpc, type HttpRpc } from '../../chain/http-rpc.ts';
import tokenArtifact from '../../contracts/artifacts/PaymentToken.json' with { type: 'json' };
import { startTestLedgerNetwork, type TestLedgerNetwork } from '../../testing/proof/proof-ledger-network.ts';
import { startUnreliableNode, type UnreliableNode } from '../../testing/settlement/unreliable-node.ts';
import type { Address } from '../../types/units.ts';
import { checkLedger, type LedgerIdentity } from './check-ledger.ts';

let ledger: TestLedgerNetwork;
let node: UnreliableNode;
let rpc: HttpRpc;
let relayer: Address;

beforeAll(async () => {
  ledger = await startTestLedgerNetwork();
  node = await startUnreliableNode(ledger.network.rpcUrl);
  rpc = createHttpRpc({ url: node.url, timeoutMs: 2_000, responseBytesMax: 1_048_576 });
  relayer = new Wallet(ledger.network.relayerKey).address.toLowerCase() as Address;
});
afterAll(async () => {
  await rpc?.close();
  await node?.close();
  await ledger?.stop();
});

const check = (change: Partial<LedgerIdentity> = {}, who = relayer) =>
  checkLedger(rpc, { ...ledger.network, ...change }, who);
const wrong = (...sentences: readonly RegExp[]) => ({
  kind: 'wrong',
  faults: sentences.map((sentence) => expect.stringMatching(sentence)),
});

/** Deploys a contract with the relayer's account, which has ether. */
async function deploy(
  artifact: { abi: object[]; bytecode: string },
  ...values: readonly unknown[]
): Promise<Address> {
  const factory = new ContractFactory(artifact.abi, artifact.bytecode, ledger.asRelayer.runner);
  const contract = await factory.deploy(...values);
  await contract.waitForDeployment();
  return (await contract.getAddress()).toLowerCase() as Address;
}

describe('The check of the configured proof ledger', () => {
  it('returns right when the relayer has both roles', async () => {
    expect(await check()).toEqual({ kind: 'right', missingRoles: [] });
  });

  it('returns right and names the roles that the relayer lacks', async () => {
    const thirdParty = ledger.thirdParty.address.toLowerCase() as Address;
    expect(await check({}, thirdParty)).toEqual({ kind: 'right', missingRoles: ['RELAYER', 'REGISTRAR'] });
    await ledger.send(ledger.asAdmin, 'grantRole', id('RELAYER'), thirdParty);
    expect(await check({}, thirdParty)).toEqual({ kind: 'right', missingRoles: ['REGISTRAR'] });
  });

  it('returns wrong when the node serves another chain', async () => {
    expect(await check({ chainId: 1 })).toEqual(
      wrong(/serves chain 31740, and the settings name chain 1\. .*PROOF_LEDGER_CHAIN_ID/),
    );
  });

  it('returns wrong when there is no contract, or one of another kind', async () => {
    const nobody = `0x${'44'.repeat(20)}` as Address;
    expect(await check({ contract: nobody })).toEqual(wrong(/no contract at 0x4444/));
    // This contract has an EIP-712 domain of another name.
    const token = await deploy(tokenArtifact, 'InferenceLedgers', 'T', relayer);
    expect(await check({ contract: token })).toEqual(wrong(/is not a proof ledger/));
    // This contract has code without functions: it accepts any call and returns nothing.
    const empty = await deploy({ abi: [], bytecode: '0x6001600c60003960016000f300' });
    expect(await check({ contract: empty })).toEqual(wrong(/is not a proof ledger/));
  });

  it('returns both faults when chain and contract are wrong', async () => {
    const nobody = `0x${'44'.repeat(20)}` as Address;
    expect(await check({ chainId: 1, contract: nobody })).toEqual(wrong(/serves chain 31740/, /no contract/));
  });

  it('checks the ledger without a relayer too', async () => {
    const { network } = ledger;
    expect(await checkLedger(rpc, network, null)).toEqual({ kind: 'right', missingRoles: [] });
  });

  it.each(['null', '[]', '"0x"', '"soon"'])(
    'returns silent when the node returns %s for chain id or code',
    async (value) => {
      for (const asked of value === '"0x"' ? ['eth_chainId'] : ['eth_chainId', 'eth_getCode']) {
        node.rewrite = (method, _body, response) =>
          method === asked ? response.replace(/"result":"[^"]*"/, `"result":${value}`) : response;
        expect(await check(), asked).toMatchObject({ kind: 'silent' });
      }
      node.rewrite = (_method, _body, response) => response;
    },
  );

  it.each(['hangs', 'fails', 'babbles'] as const)(
    'returns silent when the node %s at any call',
    async (conduct) => {
      for (const asked of ['eth_chainId', 'eth_getCode', 'eth_call']) {
        node.conduct = (method) => (method === asked ? conduct : 'sound');
        expect(await check(), asked).toMatchObject({ kind: 'silent' });
      }
      node.conduct = () => 'sound';
    },
  );
});
