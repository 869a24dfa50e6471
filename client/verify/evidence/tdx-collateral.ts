import { X509Certificate } from 'node:crypto';
import type { Collateral } from '@phala/dcap-qvl';
import { chainFault } from './certificate-chain.ts';
import { crlFault } from './crl.ts';

/** Intel's data about a processor and its quoting enclave, from the provisioning service. */
export type TdxCollateral = Collateral;

/** SHA-256 of Intel's SGX Root CA, which is also the root of TDX. */
export const intelRoot = '44a0196b2b99f889b8e149e95b807a350e7424964399e885a7cbb8ccfab674d3';

/**
 * The reason why collateral is not Intel's or not current; null when it is both. The quote verifier (0.3.9)
 * accepts any revocation list and any issuer with a valid signature, so lists and chains are also checked here
 * (D-83). `processor` is the certificate chain of the processor, leaf first.
 */
export function collateralFault(
  collateral: TdxCollateral,
  processor: readonly X509Certificate[],
  nowSeconds: number,
): string | null {
  const [tcb, identity] = [collateral.tcb_info_issuer_chain, collateral.qe_identity_issuer_chain].map(
    readPem,
  );
  for (const chain of [tcb, identity]) {
    const fault = chainFault(chain ?? [], [intelRoot], nowSeconds);
    if (fault !== null) return fault;
  }
  for (const text of [collateral.tcb_info, collateral.qe_identity]) {
    const nextUpdate = String(Reflect.get(Object(JSON.parse(text)), 'nextUpdate'));
    if (!(Date.parse(nextUpdate) / 1000 >= nowSeconds)) return `it expired at ${nextUpdate}`;
  }
  const [issuer, root] = [processor[1], processor.at(-1)];
  if (issuer === undefined || root === undefined) return 'the processor has no certificate chain';
  return (
    crlFault(readList(collateral.root_ca_crl), root.publicKey, nowSeconds) ??
    crlFault(readList(collateral.pck_crl), issuer.publicKey, nowSeconds)
  );
}

/** Reads consecutive PEM certificates, with or without a NUL at the end. */
export function readPem(text: string): readonly X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => new X509Certificate(block));
}

function readList(list: string | readonly number[]): Buffer {
  return typeof list === 'string' ? Buffer.from(list, 'hex') : Buffer.from(list);
}
