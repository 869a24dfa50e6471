import { chainId, tokenDomainVersion } from '@paid-inference/contract/constants';
import { transferWithAuthorizationTypes } from '@paid-inference/contract/eip712';
import { computeAddress } from 'ethers';
import { hexOf } from '../chain/bytes.ts';
import { checkChain } from '../chain/check-chain.ts';
import { type AuthorizationHasher, createAuthorizationHasher, type TokenDomain } from '../chain/domain.ts';
import type { HttpRpc } from '../chain/http-rpc.ts';
import type { Keccak256 } from '../chain/keccak.ts';
import { multicallAddress, multicallCodeHash } from '../chain/multicall.ts';
import type { Rpc } from '../chain/rpc.ts';
import type { Config } from '../config/schema.ts';
import { type Devnet, startDevnet } from '../devnet/devnet.ts';
import type { Log } from '../observe/log.ts';
import type { Relayer } from '../relayer/nonce.ts';
import { fail, ok, type Result } from '../types/result.ts';
import type { Address, Bytes32 } from '../types/units.ts';
import { openRpc } from './open-rpc.ts';

/** The chain that payments settle on: a real one, or the devnet that was started for it. */
export type OpenChain = {
  readonly rpc: HttpRpc;
  readonly asset: Address;
  readonly tokenName: string;
  readonly payTo: Address;
  /** The relayers that send the settlements, each with a worker of its own; none where a facilitator settles. */
  readonly relayers: readonly Relayer[];
  readonly hasher: AuthorizationHasher;
  readonly domainSeparator: Bytes32;
  /** Whether Multicall3 stands where it should, so that many payers are read in one call. */
  readonly canBatch: boolean;
  readonly devnet: Devnet | null;
  close(): Promise<void>;
};

/**
 * Opens the configured chain and asserts that it is the one that the offers speak of: chain id, code at the asset, and
 * the token's domain. A wrong name would make every signature worthless, so the gateway does not start.
 */
export async function openChain(
  config: Config,
  devnet: Devnet | null,
  relayerKeys: readonly Bytes32[],
  keccak: Keccak256,
  log: Log,
): Promise<Result<OpenChain, readonly string[]>> {
  const settings = config.chain ?? devnetSettings(devnet);
  const keys = devnet ? [devnet.relayerKey] : relayerKeys;
  const opened = await openRpc(settings.rpcUrl, config, log);
  if (!opened.ok) return opened;
  const rpc = opened.value;
  const hasher = createAuthorizationHasher({
    keccak,
    authorizationFields: transferWithAuthorizationTypes.TransferWithAuthorization,
  });
  const { asset, tokenName, payTo } = settings;
  const domain: TokenDomain = {
    name: tokenName,
    version: tokenDomainVersion,
    chainId,
    verifyingContract: asset,
  };
  const timeoutMs = Math.min(config.rpcTimeoutMs, startCallMsMax);
  const brief: Rpc = { call: (method, params, call) => rpc.call(method, params, { ...call, timeoutMs }) };
  const faults = await checkChain({ rpc: brief, hasher, domain });
  if (faults.length > 0) {
    await rpc.close();
    return fail(faults);
  }
  return ok({
    rpc,
    asset,
    tokenName,
    payTo,
    relayers: keys.map(relayerOf),
    hasher,
    domainSeparator: hasher.domainSeparator(domain),
    canBatch: await hasMulticall(brief, keccak),
    devnet,
    close: () => rpc.close(),
  });
}

/** How long a start waits for one answer of the chain at the most. */
const startCallMsMax = 10_000;

function relayerOf(key: Bytes32): Relayer {
  return { address: computeAddress(key).toLowerCase() as Address, key, chainId };
}

/** By the hash of its code: other code there may answer anything. */
async function hasMulticall(rpc: Rpc, keccak: Keccak256): Promise<boolean> {
  const code = await rpc.call<unknown>('eth_getCode', [multicallAddress, 'latest']);
  if (!code.ok || typeof code.value !== 'string') return false;
  return hexOf(keccak(Buffer.from(code.value.slice(2), 'hex'))) === multicallCodeHash;
}

/** Starts the devnet of a gateway without a chain in its settings. Rejects with a sentence for the operator. */
export function startOwnChain({ devnetFolder, devnetBlockTimeSeconds }: Config): Promise<Devnet> {
  return startDevnet({
    chainId,
    dir: devnetFolder,
    ...(devnetBlockTimeSeconds > 0 && { blockTimeSeconds: devnetBlockTimeSeconds }),
  });
}

function devnetSettings(devnet: Devnet | null): NonNullable<Config['chain']> {
  if (devnet === null) throw new Error('no chain is configured and no devnet was started');
  const { rpcUrl, token, payTo } = devnet;
  return { rpcUrl: [rpcUrl], asset: token.address, tokenName: token.name, payTo };
}
