import type { PaymentToken } from '../../chain/token.ts';
import type { Bytes32 } from '../../types/units.ts';

/** Reads the EIP-712 domain separator of a token that the test deployed. */
export async function readTokenDomain(token: Pick<PaymentToken, 'domainSeparator'>): Promise<Bytes32> {
  const read = await token.domainSeparator();
  if (!read.ok) throw new Error(read.fault.message);
  return read.value;
}
