import canonicalize from 'canonicalize';
import { toHex } from '../../chain/bytes.ts';
import { keccak256 } from '../../chain/keccak.ts';
import type { Clock } from '../../types/clock.ts';
import { ok } from '../../types/result.ts';
import type { EnclaveKey } from '../enclave-key.ts';
import type { AttestationProvider } from './provider.ts';

const softwareFormat = 'software-statement';

const statement =
  'NOT A TEE: an ordinary process made this key and keeps it in its memory. Whoever controls the machine can read it, and ' +
  'nobody but the key itself signed this.';

/**
 * Makes evidence for machines without better hardware (D-30): canonical JSON (RFC 8785) of the statement, the
 * report data, the time and the signer, signed by the enclave key as an EIP-191 message, and the signature. The
 * evidence proves who holds the key, and not where.
 */
export function createSoftwareProvider(enclaveKey: EnclaveKey, clock: Clock): AttestationProvider {
  return {
    kind: 'software',
    hardware: false,
    concurrentMax: 1,
    async attest(reportData) {
      const issuedAt = clock.nowSeconds();
      const said = { statement, reportData: toHex(reportData), issuedAt, signer: enclaveKey.address };
      const signature = enclaveKey.sign(hashMessage(canonical(said)));
      const evidence = Buffer.from(canonical({ ...said, signature }));
      return ok({ format: softwareFormat, evidence, issuedAt });
    },
  };
}

function canonical(value: object): string {
  const text = canonicalize(value);
  if (text === undefined) throw new Error('the statement has no canonical JSON form');
  return text;
}

/** The digest of a signed message (EIP-191, version 0x45). */
function hashMessage(text: string): Uint8Array {
  const message = Buffer.from(text);
  return keccak256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${message.length}`), message]));
}
