import { type Cbor, readCbor } from './cbor.ts';

/**
 * The parts of an AWS Nitro attestation document that the gateway reads: nonce and user data, whether the
 * parent can read the enclave, and the named measurements. A verifier checks signature and certificates.
 * @see https://docs.aws.amazon.com/enclaves/latest/user/verify-root.html
 */
export type NitroDocument = {
  readonly nonce: Uint8Array | null;
  readonly userData: Uint8Array | null;
  readonly isDebug: boolean;
  readonly measurements: Readonly<Record<string, string>>;
};

/** Null for bytes that are not a COSE_Sign1 with such a document. */
export function readNitroDocument(bytes: Uint8Array): NitroDocument | null {
  const envelope = readCbor(bytes)?.value;
  if (!Array.isArray(envelope) || envelope.length !== 4) return null;
  const payload: Cbor = envelope[2];
  const document = payload instanceof Uint8Array ? readCbor(payload)?.value : undefined;
  if (!(document instanceof Map)) return null;
  const registers = readRegisters(document.get('pcrs'));
  if (registers === null) return null;
  const set = registers.filter(([, value]) => !isZero(value));
  return {
    nonce: readBytes(document.get('nonce')),
    userData: readBytes(document.get('user_data')),
    // In debug mode the registers of an enclave are zero, also the register of the image (PCR0).
    isDebug: !set.some(([index]) => index === 0),
    measurements: Object.fromEntries(
      set.map(([index, value]) => [`PCR${index}`, Buffer.from(value).toString('hex')]),
    ),
  };
}

function readRegisters(value: Cbor | undefined): Array<readonly [number, Uint8Array]> | null {
  if (!(value instanceof Map)) return null;
  const registers = [...value].filter(
    (entry): entry is [number, Uint8Array] => typeof entry[0] === 'number' && entry[1] instanceof Uint8Array,
  );
  return registers.length === value.size ? registers : null;
}

function readBytes(value: Cbor | undefined): Uint8Array | null {
  return value instanceof Uint8Array ? value : null;
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}
