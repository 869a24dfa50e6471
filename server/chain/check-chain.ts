import { Interface } from 'ethers';
import type { AuthorizationHasher, TokenDomain } from './domain.ts';
import type { Rpc, RpcFault } from './rpc.ts';
import { createPaymentToken } from './token.ts';

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
      `The node serves chain ${served}, but chain ${domain.chainId} is configured: change the RPC URL or the chain id.`,
    );
  }
  if (typeof code.value !== 'string' || !/^0x[0-9a-fA-F]+$/.test(code.value)) {
    faults.push(
      `There is no contract at ${asset} on chain ${served}: change the token address, or the RPC URL to the chain where the token is.`,
    );
    return faults;
  }
  // The domain is compared on the chain that is there, so that a wrong chain id is told once and not twice.
  faults.push(...(await checkDomain(rpc, hasher, { ...domain, chainId: served })));
  return faults;
}

async function checkDomain(rpc: Rpc, hasher: AuthorizationHasher, domain: TokenDomain): Promise<string[]> {
  const asset = domain.verifyingContract;
  const separator = await createPaymentToken({ rpc, asset }).domainSeparator();
  if (!separator.ok) {
    return isRevert(separator.fault)
      ? [
          `The contract at ${asset} has no DOMAIN_SEPARATOR(): change the token address to that of an EIP-3009 token.`,
        ]
      : [noAnswer('DOMAIN_SEPARATOR()', separator.fault)];
  }
  if (separator.value === hasher.domainSeparator(domain)) return [];

  const faults: string[] = [];
  const told = await readOwnDomain(rpc, asset);
  if (told !== null && told.name !== domain.name) {
    faults.push(
      `The token signs under the name ${JSON.stringify(told.name)}, but ${JSON.stringify(domain.name)} is configured: change the token name.`,
    );
  }
  if (told !== null && told.version !== domain.version) {
    faults.push(
      `The token signs under the version ${JSON.stringify(told.version)}, but ${JSON.stringify(domain.version)} is configured: change the token version.`,
    );
  }
  return faults.length > 0
    ? faults
    : [
        `The token's domain separator is ${separator.value}, which the configured name ${JSON.stringify(domain.name)} and version ${JSON.stringify(domain.version)} do not give: change them to those of the token's EIP-712 domain.`,
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
  return `The node does not answer ${question} (${fault.message}): check the RPC URL and that the node is up.`;
}
