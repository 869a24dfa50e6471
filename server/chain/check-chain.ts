import { Interface } from 'ethers';
import { domainSeparatorCalldata } from './calldata.ts';
import type { AuthorizationHasher, TokenDomain } from './domain.ts';
import type { Rpc, RpcFault } from './rpc.ts';
import { parseWord } from './word.ts';

/**
 * Compares the chain with what is configured before the first payment is taken. Were the name or version of the
 * token wrong, every payer would sign what the token refuses, and the gateway would find out after inference.
 * Returns every fault found, each a sentence that says what to change; an empty list when all agrees.
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
  // Without these two nothing else can be asked, and each further fault would only say the same again.
  if (!chainId.ok) return [noAnswer('eth_chainId', chainId.fault)];
  if (!code.ok) return [noAnswer('eth_getCode', code.fault)];

  const faults: string[] = [];
  const served = typeof chainId.value === 'string' ? Number(chainId.value) : Number.NaN;
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
  // The domain is compared on the chain that is there, so that a wrong chain id is told once and not twice.
  faults.push(...(await checkDomain(rpc, hasher, { ...domain, chainId: served })));
  return faults;
}

async function checkDomain(rpc: Rpc, hasher: AuthorizationHasher, domain: TokenDomain): Promise<string[]> {
  const asset = domain.verifyingContract;
  const answer = await rpc.call<unknown>('eth_call', [
    { to: asset, data: domainSeparatorCalldata() },
    'latest',
  ]);
  if (!answer.ok && !isRevert(answer.fault)) return [noAnswer('DOMAIN_SEPARATOR()', answer.fault)];
  const word = answer.ok ? parseWord(answer.value) : null;
  if (word === null)
    return [`The contract at ${asset} has no DOMAIN_SEPARATOR(). Set TOKEN_ADDRESS to an EIP-3009 token.`];
  const separator = `0x${word}`;
  if (separator === hasher.domainSeparator(domain)) return [];

  const faults: string[] = [];
  const told = await readOwnDomain(rpc, asset);
  if (told !== null && told.name !== domain.name) {
    faults.push(
      `The token signs under the name ${JSON.stringify(told.name)}, and the settings name ${JSON.stringify(domain.name)}. Set TOKEN_NAME=${JSON.stringify(told.name)}.`,
    );
  }
  if (told !== null && told.version !== domain.version) {
    faults.push(
      `The token signs under the version ${JSON.stringify(told.version)}, and the contract has version ${JSON.stringify(domain.version)}. Set TOKEN_ADDRESS to a token of that version.`,
    );
  }
  return faults.length > 0
    ? faults
    : [
        `The token's domain separator is ${separator}, and the name ${JSON.stringify(domain.name)} with version ${JSON.stringify(domain.version)} gives another. Set TOKEN_NAME to the name of the token's EIP-712 domain.`,
      ];
}

/** A node also refuses what it cannot look up just now, such as a block that it has not seen: the contract has not spoken then. */
function isRevert(fault: RpcFault): boolean {
  return fault.kind === 'refused' && (fault.code === 3 || /revert/i.test(fault.message));
}

const ownDomain = new Interface([
  'function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)',
]);

/** Asks the token to name its domain (EIP-5267). Not every token can; it only makes the fault easier to mend. */
async function readOwnDomain(rpc: Rpc, asset: string): Promise<{ name: string; version: string } | null> {
  const data = ownDomain.encodeFunctionData('eip712Domain');
  const answer = await rpc.call<unknown>('eth_call', [{ to: asset, data }, 'latest']);
  if (!answer.ok || typeof answer.value !== 'string') return null;
  try {
    const { name, version } = ownDomain.decodeFunctionResult('eip712Domain', answer.value);
    return { name: String(name), version: String(version) };
  } catch {
    return null;
  }
}

function noAnswer(question: string, fault: RpcFault): string {
  return fault.kind === 'refused'
    ? `The node refuses ${question} (${fault.message}). Set CHAIN_RPC_URL to a node that answers it.`
    : `The chain cannot be asked ${question} (${fault.message}). Start its node, or change CHAIN_RPC_URL.`;
}
