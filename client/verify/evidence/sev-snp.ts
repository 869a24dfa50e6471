import { verify, type X509Certificate } from 'node:crypto';
import { chainFault, readCertificates } from './certificate-chain.ts';
import { extensionsOf } from './der.ts';
import {
  type EvidenceCase,
  type EvidenceFinding,
  refutes,
  type SnpRoot,
  shows,
  unreadable,
} from './evidence-case.ts';

/**
 * SHA-256 of AMD's root keys (ARK) by product.
 * @see https://kdsintf.amd.com
 */
export const amdRoots: readonly SnpRoot[] = [
  { product: 'Milan', sha256: '69d063b45344d26a2e94e1f4210de49ef555308287d4c174445c95639a540bcd' },
  { product: 'Genoa', sha256: '4c6598d19c18719c5dfd4a7d335f674e5bfe1d8f800cea2cf270c10d103db2f1' },
  { product: 'Turin', sha256: '1f084161a44bb6d93778a904877d4819cafa5d05ef4193b2ded9dd9c73dd3f6a' },
];

/** SEV-SNP Firmware ABI Specification (56860), "ATTESTATION_REPORT structure". */
const at = {
  policy: 0x08,
  algorithm: 0x34,
  keyInformation: 0x48,
  reportData: 0x50,
  measurement: 0x90,
  hostData: 0xc0,
  idKeyDigest: 0xe0,
  reportedTcb: 0x180,
  chipId: 0x1a0,
  chipIdEnd: 0x1e0,
  signature: 0x2a0,
  end: 0x4a0,
} as const;

const ecdsaP384Sha384 = 1;
const debugPolicy = 1n << 19n;
/** Little-endian, of which P-384 needs the first 48 bytes. */
const numberBytes = 72;
const p384Bytes = 48;

/**
 * A report of AMD SEV-SNP, which carries our 64 bytes as they are, signed by the key of one chip at one patch level
 * (VCEK). Its certificates are those that the host gave with it; none are fetched, and AMD's lists of revoked ones are
 * not looked at (D-84).
 */
export function readSnpReport({
  evidence,
  certificates,
  reportData,
  trust,
  nowSeconds,
}: EvidenceCase): EvidenceFinding {
  if (evidence.length !== at.end || evidence.readUInt32LE(0) < 2)
    return refutes('the evidence is no SEV-SNP report');
  if (!reportData.equals(evidence.subarray(at.reportData, at.measurement))) {
    return refutes('the SEV-SNP report was made for another key, ledger or nonce');
  }
  const signingKey = (evidence.readUInt32LE(at.keyInformation) >> 2) & 0b111;
  if (signingKey !== 0)
    return unreadable('the SEV-SNP report is signed by a key that is not its chip (no VCEK)');
  const ders = certificates === null ? null : tableOf(certificates);
  if (ders === null) return unreadable('the SEV-SNP report came without the certificates of its chip');
  const chain = readCertificates(ders);
  const [leaf] = chain ?? [];
  if (chain === null || leaf === undefined)
    return refutes('the SEV-SNP report has a certificate that is none');

  const roots = trust.snpRoots ?? amdRoots;
  const fault = chainFault(
    chain,
    roots.map(({ sha256 }) => sha256),
    nowSeconds,
  );
  if (fault !== null) return refutes(`the SEV-SNP report does not stand: ${fault}`);
  if (!isSigned(evidence, leaf))
    return refutes('the SEV-SNP report is not signed by the chip that its certificate names');
  const root = chain.at(-1)?.fingerprint256.replaceAll(':', '').toLowerCase();
  const product = roots.find(({ sha256 }) => sha256 === root)?.product;
  const mismatch = product === undefined ? 'it is of no product' : chipFault(evidence, leaf, product);
  if (mismatch !== null)
    return refutes(`the SEV-SNP report is not of the chip that its certificate names: ${mismatch}`);
  if ((evidence.readBigUInt64LE(at.policy) & debugPolicy) !== 0n) {
    return refutes('the machine runs in debug mode, its memory open to the host');
  }
  return shows(`AMD vouches for a machine with this key (SEV-SNP, ${product})`, true, {
    MEASUREMENT: evidence.subarray(at.measurement, at.hostData).toString('hex'),
    HOST_DATA: evidence.subarray(at.hostData, at.idKeyDigest).toString('hex'),
  });
}

/** Of the Guest-Hypervisor Communication Block Specification (56421): chip, its issuer and AMD's root. */
const guids = [
  '63da758de6644564adc5f4b93be8accd',
  '4ab7b379bbac4fe4a02f05aef327c782',
  'c0b406a4a803495297433fb6014cd0ae',
] as const;

/** The certificates of the kernel's `auxblob`, leaf first: a table of GUID, offset and length. Null where one is missing. */
function tableOf(blob: Buffer): readonly Buffer[] | null {
  const entryBytes = 24;
  const entries = new Map<string, Buffer>();
  for (let position = 0; position + entryBytes <= blob.length; position += entryBytes) {
    const guid = blob.subarray(position, position + 16).toString('hex');
    if (/^0+$/.test(guid)) break;
    const start = blob.readUInt32LE(position + 16);
    entries.set(guid, blob.subarray(start, start + blob.readUInt32LE(position + 20)));
  }
  const found = guids.map((guid) => entries.get(guid));
  return found.every((der) => der !== undefined) ? found : null;
}

function isSigned(report: Buffer, { publicKey }: X509Certificate): boolean {
  if (report.readUInt32LE(at.algorithm) !== ecdsaP384Sha384) return false;
  if (publicKey.asymmetricKeyDetails?.namedCurve !== 'secp384r1') return false;
  const number = (start: number) => Buffer.from(report.subarray(start, start + p384Bytes)).reverse();
  const signature = Buffer.concat([number(at.signature), number(at.signature + numberBytes)]);
  const signed = report.subarray(0, at.signature);
  return verify('sha384', signed, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature);
}

const oid = '1.3.6.1.4.1.3704.1';
const hardwareId = `${oid}.4`;

/** Where a part of the patch level stands in REPORTED_TCB, and under which number in the certificate. */
const older = { [`${oid}.3.1`]: 0, [`${oid}.3.2`]: 1, [`${oid}.3.3`]: 6, [`${oid}.3.8`]: 7 } as const;
const patchLevel: Readonly<Record<SnpRoot['product'], Readonly<Record<string, number>>>> = {
  Milan: older,
  Genoa: older,
  Turin: { [`${oid}.3.9`]: 0, [`${oid}.3.1`]: 1, [`${oid}.3.2`]: 2, [`${oid}.3.3`]: 3, [`${oid}.3.8`]: 7 },
};

/** Why a report is not of the chip, or not of the patch level, that a VCEK was issued for; null where it is. */
function chipFault(report: Buffer, leaf: X509Certificate, product: SnpRoot['product']): string | null {
  const extensions = extensionsOf(leaf.raw);
  const id = extensions.get(hardwareId)?.value;
  const chipId = report.subarray(at.chipId, at.chipIdEnd);
  // A host may mask the chip's id; the patch level and the signature are then all there is.
  const isMasked = chipId.every((byte) => byte === 0);
  if (!isMasked && (id === undefined || !chipId.subarray(0, id.length).equals(id)))
    return 'the chip is another';
  for (const [part, index] of Object.entries(patchLevel[product])) {
    // DER of a small INTEGER, whose last byte is all of it.
    const level = extensions.get(part)?.value.at(-1);
    if (level !== report[at.reportedTcb + index]) return 'the patch level is another';
  }
  return null;
}
