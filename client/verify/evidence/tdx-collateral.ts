import { X509Certificate } from 'node:crypto';
import type { Collateral } from '@phala/dcap-qvl';
import { chainFault } from './certificate-chain.ts';
import { crlFault } from './crl.ts';

/** What Intel publishes about a processor and its quoting enclave, as its provisioning service hands it out. */
export type TdxCollateral = Collateral;

/** SHA-256 of Intel's SGX Root CA, under which TDX stands too. */
export const intelRoot = '44a0196b2b99f889b8e149e95b807a350e7424964399e885a7cbb8ccfab674d3';

/**
 * Why collateral is not Intel's, or not of now; null where it is both. The verifier of quotes (0.3.9) takes any list of
 * revoked certificates and any issuer with a good signature, so lists and chains are checked here as well (D-83).
 * `processor` is the chain of the processor's certificate, leaf first.
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
    if (!(Date.parse(nextUpdate) / 1000 >= nowSeconds)) return `it was good until ${nextUpdate}`;
  }
  const [issuer, root] = [processor[1], processor.at(-1)];
  if (issuer === undefined || root === undefined) return 'the processor has no certificate chain';
  return (
    crlFault(bytesOf(collateral.root_ca_crl), root.publicKey, nowSeconds) ??
    crlFault(bytesOf(collateral.pck_crl), issuer.publicKey, nowSeconds)
  );
}

/** Certificates in PEM, one after the other, with or without a NUL at the end. */
export function readPem(text: string): readonly X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => new X509Certificate(block));
}

function bytesOf(list: string | readonly number[]): Buffer {
  return typeof list === 'string' ? Buffer.from(list, 'hex') : Buffer.from(list);
}
