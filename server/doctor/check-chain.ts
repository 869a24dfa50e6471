import { chainId, tokenDomainVersion } from '@paid-inference/contract/constants';
import { readHead } from '../chain/chain-view.ts';
import { headTimeIssue, headTimeLimits } from '../chain/head-time.ts';
import type { Keccak256 } from '../chain/keccak.ts';
import { createMemoryLog } from '../observe/memory-log.ts';
import { createTokenWatch } from '../settlement/token-watch.ts';
import { type OpenChain, openChain } from '../start/open-chain.ts';
import { count } from '../types/count.ts';
import { checkFacilitator } from './check-facilitator.ts';
import { checkGas } from './check-gas.ts';
import { checkRecipientOfStore } from './check-recipient-of-store.ts';
import type { RealDeployment } from './deployment.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

/** Opens the chain as a start does, and checks everything that the chain knows about the deployment. */
export async function checkChain(deployment: RealDeployment, keccak: Keccak256): Promise<readonly Finding[]> {
  const { config, relayerKeys, facilitatorToken = null } = deployment.loaded;
  const { log, take } = createMemoryLog();
  const opened = await openChain(config, null, relayerKeys, keccak, log);
  const ofEndpoints = take().map((text) => warning('chain', text));
  if (!opened.ok) return [...ofEndpoints, ...opened.fault.map((fault) => failed('chain', fault))];
  const chain = opened.value;
  try {
    const { asset, tokenName, domainSeparator } = chain;
    const [head, recipient, settlement, foreign] = await Promise.all([
      checkHead(deployment, chain),
      checkTransfers(chain),
      config.facilitator
        ? checkFacilitator(config.facilitator, facilitatorToken, deployment.chain)
        : checkGas(deployment, chain),
      checkRecipientOfStore(deployment, chain),
    ]);
    return [
      ...ofEndpoints,
      ...head.ofChain,
      ok(
        'token',
        `${JSON.stringify(tokenName)}, version ${tokenDomainVersion}, at ${asset}. Its domain separator is ${domainSeparator}`,
      ),
      ...head.ofClock,
      ...settlement,
      ...recipient,
      ...foreign,
    ];
  } finally {
    await chain.close();
  }
}

/** Compares the newest block with the clock of this machine. */
async function checkHead(
  { loaded, clock }: RealDeployment,
  { rpc }: OpenChain,
): Promise<{ readonly ofChain: readonly Finding[]; readonly ofClock: readonly Finding[] }> {
  const [head, limits] = await Promise.all([readHead(rpc), headTimeLimits(loaded.config, rpc)]);
  if (!head.ok)
    return {
      ofChain: [
        failed('chain', `the chain returns no newest block: ${head.fault.message}. Change CHAIN_RPC_URL`),
      ],
      ofClock: [],
    };
  const { block, seconds } = head.value;
  const urls = loaded.config.chain?.rpcUrl.length ?? 0;
  const issue = headTimeIssue(seconds, clock, limits);
  const age = BigInt(clock.nowSeconds()) - seconds;
  const position = age < 0n ? `${-age} s ahead of` : `${age} s behind`;
  return {
    ofChain: [ok('chain', `Chain ${chainId} through ${count(urls, 'RPC endpoint')}, newest block ${block}`)],
    ofClock: [
      issue === null
        ? ok('clock', `The newest block is ${position} the clock of this machine`)
        : failed('clock', issue),
    ],
  };
}

/** Simulates a transfer to the recipient. */
async function checkTransfers(chain: OpenChain): Promise<readonly Finding[]> {
  const { payTo } = chain;
  const { log } = createMemoryLog();
  const issue = await createTokenWatch({ ...chain, log }).healthIssue();
  return issue === null
    ? [ok('recipient', `The token accepts transfers to ${payTo}`)]
    : [failed('recipient', `${issue}. Ask the issuer of the token, or set PAY_TO to another account`)];
}
