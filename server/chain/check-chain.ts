import { type OwnDomain, ownDomainCalldata, parseOwnDomain } from './abi.ts';
import { domainSeparatorCalldata } from './calldata.ts';
import { parseCount } from './chain-view.ts';
import type { AuthorizationHasher, TokenDomain } from './domain.ts';
import type { Rpc, RpcFault } from './rpc.ts';
import { parseWord } from './word.ts';

/**
 * Compares the chain with the settings before the gateway takes its first payment. With a wrong name or version
 * of the token, every payer would sign what the token rejects, and the gateway would notice after inference.
 * Returns one sentence for each fault, with the setting to change; an empty list when all agrees.
 */
export async function checkChain({
  rpc,
  hasher,
  domain,
}: {
  readonly rpc: Rpc;
  readonly hasher: AuthorizationHasher;
  /** As configured: chain id, token address, and the token's domain name and version. */
  readonly domain: TokenDomain;
}): Promise<readonly string[]> {
  const asset = domain.verifyingContract;
  const [chainId, code] = await Promise.all([
    rpc.call<unknown>('eth_chainId', []),
    rpc.call<unknown>('eth_getCode', [asset, 'latest']),
  ]);
  // Without these two results every other query fails too, so one fault is reported.
  if (!chainId.ok) return [noResponse('eth_chainId', chainId.fault)];
  if (!code.ok) return [noResponse('eth_getCode', code.fault)];

  const faults: string[] = [];
  const served = parseCount(chainId.value);
  if (served === null)
    return [noResponse('eth_chainId', { kind: 'unavailable', message: 'the node gives no chain id' })];
  if (served !== domain.chainId) {
    faults.push(
      `The node serves chain ${served}, and payments are on chain ${domain.chainId}. Set CHAIN_RPC_URL to a node of that chain.`,
    );
  }
  if (typeof code.value !== 'string' || !/^0x[0-9a-fA-F]+$/.test(code.value)) {
    faults.push(
      `There is no contract at ${asset} on chain ${served}. Set TOKEN_ADDRESS to the token, or CHAIN_RPC_URL to a node of its chain.`,
    );
    return faults;
  }
  // Uses the chain id of the node, so that a wrong chain id is reported once and not twice.
  faults.push(...(await checkDomain(rpc, hasher, { ...domain, chainId: served })));
  return faults;
}

async function checkDomain(rpc: Rpc, hasher: AuthorizationHasher, domain: TokenDomain): Promise<string[]> {
  const asset = domain.verifyingContract;
  const response = await rpc.call<unknown>('eth_call', [
    { to: asset, data: domainSeparatorCalldata() },
    'latest',
  ]);
  if (!response.ok && !isRevert(response.fault)) return [noResponse('DOMAIN_SEPARATOR()', response.fault)];
  const word = response.ok ? parseWord(response.value) : null;
  if (word === null)
    return [
      `The contract at ${asset} has no DOMAIN_SEPARATOR(). Set TOKEN_ADDRESS to an EIP-3009 token. If payments settled before, its code has changed: ask its issuer.`,
    ];
  const separator = `0x${word}`;
  if (separator === hasher.domainSeparator(domain)) return [];

  const faults: string[] = [];
  const own = await readOwnDomain(rpc, asset);
  if (own !== null && own.name !== domain.name) {
    faults.push(
      `The token uses the name ${JSON.stringify(own.name)}, but the settings have ${JSON.stringify(domain.name)}. Set TOKEN_NAME=${JSON.stringify(own.name)}.`,
    );
  }
  if (own !== null && own.version !== domain.version) {
    faults.push(
      `The token uses the version ${JSON.stringify(own.version)}, but the contract needs version ${JSON.stringify(domain.version)}. Set TOKEN_ADDRESS to a token of that version.`,
    );
  }
  return faults.length > 0
    ? faults
    : [
        `The token's domain separator is ${separator}, but the name ${JSON.stringify(domain.name)} with version ${JSON.stringify(domain.version)} gives another. Set TOKEN_NAME to the name of the token's EIP-712 domain.`,
      ];
}

/**
 * A node also returns errors for data that it lacks at the moment, such as an unseen block. Those do not count
 * as a revert.
 */
export function isRevert(fault: RpcFault): boolean {
  return fault.kind === 'refused' && (fault.code === 3 || /revert/i.test(fault.message));
}

/**
 * Reads the token's own domain (EIP-5267) to name the setting to change. Null where the token does not have
 * this function.
 */
async function readOwnDomain(rpc: Rpc, asset: string): Promise<OwnDomain | null> {
  const response = await rpc.call<unknown>('eth_call', [{ to: asset, data: ownDomainCalldata }, 'latest']);
  return response.ok ? parseOwnDomain(response.value) : null;
}

function noResponse(question: string, fault: RpcFault): string {
  return fault.kind === 'refused'
    ? `The node rejects ${question} (${fault.message}). Set CHAIN_RPC_URL to a node that supports it.`
    : `The node does not respond to ${question} (${fault.message}). Start the node, or change CHAIN_RPC_URL.`;
}
