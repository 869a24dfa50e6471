import { chainId, tokenDomainVersion } from '@paid-inference/contract/constants';
import { transferWithAuthorizationTypes } from '@paid-inference/contract/eip712';
import { toHex } from '../chain/bytes.ts';
import { checkChain } from '../chain/check-chain.ts';
import { checkWalletTransfers } from '../chain/check-wallet-transfers.ts';
import { computeAddress } from '../chain/curve.ts';
import { type AuthorizationHasher, createAuthorizationHasher, type TokenDomain } from '../chain/domain.ts';
import type { HttpRpc } from '../chain/http-rpc.ts';
import type { Keccak256 } from '../chain/keccak.ts';
import { multicallAddress, multicallCodeHash } from '../chain/multicall.ts';
import type { Rpc } from '../chain/rpc.ts';
import type { Config } from '../config/schema.ts';
import { type Devnet, startDevnet } from '../devnet/devnet.ts';
import type { Log } from '../observe/log.ts';
import type { Relayer } from '../relayer/nonce.ts';
import { noTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import { fail, ok, type Result } from '../types/result.ts';
import type { Address, Bytes32 } from '../types/units.ts';
import { openRpc } from './open-rpc.ts';

/** The chain on which payments settle: a real one, or the devnet of this gateway. */
export type OpenChain = {
  readonly rpc: HttpRpc;
  readonly asset: Address;
  readonly tokenName: string;
  readonly payTo: Address;
  /** The relayers that send the settlements, each with its own worker; none if a facilitator settles. */
  readonly relayers: readonly Relayer[];
  readonly hasher: AuthorizationHasher;
  readonly domainSeparator: Bytes32;
  /** Whether the chain has Multicall3, which reads many payers in one call. */
  readonly canBatch: boolean;
  readonly devnet: Devnet | null;
  close(): Promise<void>;
};

/**
 * Opens the configured chain and checks that it is the chain of the offers: chain id, code at the asset, and
 * the token's domain. With a wrong token name every signature would be invalid, so the gateway does not start.
 */
export async function openChain(
  config: Config,
  devnet: Devnet | null,
  relayerKeys: readonly Bytes32[],
  keccak: Keccak256,
  log: Log,
  telemetry: Pick<Telemetry, 'wrapRpc'> = noTelemetry,
): Promise<Result<OpenChain, readonly string[]>> {
  const settings = config.chain ?? devnetSettings(devnet);
  const keys = devnet ? [devnet.relayerKey] : relayerKeys;
  const opened = await openRpc(settings.rpcUrl, config, log, telemetry);
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
  const faults = [...(await checkChain({ rpc: brief, hasher, domain }))];
  const walletFault =
    config.contractWallets && faults.length === 0 && (await checkWalletTransfers(brief, asset));
  if (walletFault) faults.push(walletFault);
  if (faults.length > 0) {
    await rpc.close();
    return fail(faults);
  }
  return ok({
    rpc,
    asset,
    tokenName,
    payTo,
    relayers: keys.map(createRelayer),
    hasher,
    domainSeparator: hasher.domainSeparator(domain),
    canBatch: await hasMulticall(brief, keccak),
    devnet,
    close: () => rpc.close(),
  });
}

/** The longest wait for one response of the chain during the start. */
const startCallMsMax = 10_000;

function createRelayer(key: Bytes32): Relayer {
  return { address: computeAddress(key), key, chainId };
}

/** Compares the hash of the code, because other code at this address could return anything. */
async function hasMulticall(rpc: Rpc, keccak: Keccak256): Promise<boolean> {
  const code = await rpc.call<unknown>('eth_getCode', [multicallAddress, 'latest']);
  if (!code.ok || typeof code.value !== 'string') return false;
  return toHex(keccak(Buffer.from(code.value.slice(2), 'hex'))) === multicallCodeHash;
}

/**
 * Starts the devnet of a gateway without a chain in its settings. The rejection is a sentence for the operator.
 */
export function startOwnChain({ devnetFolder, devnetBlockTimeSeconds }: Config): Promise<Devnet> {
  return startDevnet({
    chainId,
    dir: devnetFolder,
    ...(devnetBlockTimeSeconds > 0 && { blockTimeSeconds: devnetBlockTimeSeconds }),
  });
}

function devnetSettings(devnet: Devnet | null): NonNullable<Config['chain']> {
  if (devnet === null) throw new Error('The settings have no chain, and no devnet was started.');
  const { rpcUrl, token, payTo } = devnet;
  return { rpcUrl: [rpcUrl], asset: token.address, tokenName: token.name, payTo };
}
