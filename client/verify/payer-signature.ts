import { tokenDomainVersion } from '@paid-inference/contract/constants';
import { paymentDomain, transferWithAuthorizationTypes } from '@paid-inference/contract/eip712';
import type { AcceptedPayload } from '@paid-inference/contract/types';
import { Contract, isError, type JsonRpcProvider, verifyTypedData } from 'ethers';
import { isSameHex } from './hex.ts';
import { isCanonicalSignature } from './signature-form.ts';

/** Whether the payer signed for this token. Any contract can write the same logs. */
export async function isSignedFor(
  provider: JsonRpcProvider,
  asset: string,
  { authorization, signature }: AcceptedPayload,
): Promise<boolean> {
  if (!isCanonicalSignature(signature)) return false;
  const contract = new Contract(asset, ['function name() view returns (string)'], provider);
  const name = await readName(provider, contract);
  if (name === null) return false;
  const domain = paymentDomain({ asset, extra: { name, version: tokenDomainVersion } });
  const { from, to } = authorization;
  const message = { ...authorization, from: from.toLowerCase(), to: to.toLowerCase() };
  try {
    return isSameHex(verifyTypedData(domain, transferWithAuthorizationTypes, message, signature), from);
  } catch {
    return false;
  }
}

/** Null when the contract has no name, which every token has. Rejects for an unreadable response. */
async function readName(provider: JsonRpcProvider, contract: Contract): Promise<string | null> {
  try {
    return String(await contract.getFunction('name').staticCall());
  } catch (error) {
    if (isError(error, 'CALL_EXCEPTION')) return null;
    const isGone = isError(error, 'BAD_DATA') && (await provider.getCode(contract)) === '0x';
    if (isGone) return null;
    throw error;
  }
}
