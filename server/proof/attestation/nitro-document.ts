import { type Cbor, readCbor } from './cbor.ts';

/**
 * What the gateway reads of an AWS Nitro attestation document: whether it carries what was asked for, whether the enclave
 * is open to its parent, and the measurements by their names. Signature and certificates are for whoever verifies.
 * @see https://docs.aws.amazon.com/enclaves/latest/user/verify-root.html
 */
export type NitroDocument = {
  readonly nonce: Uint8Array | null;
  readonly userData: Uint8Array | null;
  readonly isDebug: boolean;
  readonly measurements: Readonly<Record<string, string>>;
};

/** Null for what is no COSE_Sign1 with such a document in it. */
export function readNitroDocument(bytes: Uint8Array): NitroDocument | null {
  const envelope = readCbor(bytes)?.value;
  if (!Array.isArray(envelope) || envelope.length !== 4) return null;
  const payload: Cbor = envelope[2];
  const document = payload instanceof Uint8Array ? readCbor(payload)?.value : undefined;
  if (!(document instanceof Map)) return null;
  const registers = registersOf(document.get('pcrs'));
  if (registers === null) return null;
  const set = registers.filter(([, value]) => !isZero(value));
  return {
    nonce: bytesOf(document.get('nonce')),
    userData: bytesOf(document.get('user_data')),
    // An enclave in debug mode measures nothing: its registers are zero, the image's first of all.
    isDebug: !set.some(([index]) => index === 0),
    measurements: Object.fromEntries(
      set.map(([index, value]) => [`PCR${index}`, Buffer.from(value).toString('hex')]),
    ),
  };
}

function registersOf(value: Cbor | undefined): Array<readonly [number, Uint8Array]> | null {
  if (!(value instanceof Map)) return null;
  const registers = [...value].filter(
    (entry): entry is [number, Uint8Array] => typeof entry[0] === 'number' && entry[1] instanceof Uint8Array,
  );
  return registers.length === value.size ? registers : null;
}

function bytesOf(value: Cbor | undefined): Uint8Array | null {
  return value instanceof Uint8Array ? value : null;
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}
