import { expect, test } from 'vitest';
import { type CertificateRequest, der, fingerprint, issue } from '../../testing/certificates.ts';
import { chainFault } from './certificate-chain.ts';

const at = 1_790_000_000;
const days = { from: at - 100, until: at + 100 };
const root = issue({ name: 'root', issuer: null, ...days, authority: {} });

/** The fault of a chain of root, middle and leaf, with changes to middle and leaf. */
function findChainFault(
  middle: Partial<CertificateRequest> = {},
  leaf: Partial<CertificateRequest> = {},
): string | null {
  const issuer = issue({ name: 'middle', issuer: root, ...days, authority: { pathLength: 0 }, ...middle });
  const end = issue({ name: 'leaf', issuer, ...days, ...leaf });
  return chainFault(
    [end, issuer, root].map(({ certificate }) => certificate),
    [fingerprint(root)],
    at,
  );
}

test('Accepts a chain from leaf to root', () => {
  expect(findChainFault()).toBeNull();
});

test('Rejects a certificate outside its period', () => {
  expect(findChainFault({}, { until: at - 1 })).toBe(
    'the certificate of leaf expired at 2026-09-21T14:13:19Z',
  );
  expect(findChainFault({ until: at - 1 })).toMatch(/^the certificate of middle expired/);
  expect(findChainFault({}, { from: at + 1 })).toBe(
    'the certificate of leaf is not valid before 2026-09-21T14:13:21Z',
  );
});

test('Rejects an issuer that is no authority, and a chain beyond the path length', () => {
  const { authority: _, ...plain } = { authority: {}, name: 'middle', issuer: root, ...days };
  const middle = issue(plain);
  const leaf = issue({ name: 'leaf', issuer: middle, ...days });
  const chain = [leaf, middle, root].map(({ certificate }) => certificate);
  expect(chainFault(chain, [fingerprint(root)], at)).toBe(
    'the certificate of middle may not issue certificates',
  );

  const near = issue({ name: 'near', issuer: root, ...days, authority: { pathLength: 0 } });
  const far = issue({ name: 'far', issuer: near, ...days, authority: {} });
  const end = issue({ name: 'end', issuer: far, ...days });
  const long = [end, far, near, root].map(({ certificate }) => certificate);
  expect(chainFault(long, [fingerprint(root)], at)).toBe('the certificate of near exceeds its path length');
});

test('Rejects an issuer whose key may not sign certificates', () => {
  const digitalSignature = { oid: '2.5.29.15', isCritical: true, value: der(0x03, Buffer.of(7, 0x80)) };
  expect(findChainFault({ extensions: [digitalSignature] })).toBe(
    'the certificate of leaf is not issued by middle',
  );
  const keyCertSign = { ...digitalSignature, value: der(0x03, Buffer.of(2, 0x04)) };
  expect(findChainFault({ extensions: [keyCertSign] })).toBeNull();
});

test('Rejects an issuer that only has the right name', () => {
  const impostor = issue({ name: 'middle', issuer: root, ...days, authority: {} });
  const honest = issue({ name: 'middle', issuer: root, ...days, authority: {} });
  const leaf = issue({ name: 'leaf', issuer: impostor, ...days });
  const chain = [leaf, honest, root].map(({ certificate }) => certificate);
  expect(chainFault(chain, [fingerprint(root)], at)).toBe('the certificate of leaf is not issued by middle');
});

test('Rejects a root that is not pinned, whatever its name', () => {
  const other = issue({ name: 'root', issuer: null, ...days, authority: {} });
  expect(chainFault([other.certificate], [fingerprint(root)], at)).toMatch(
    /^the certificates end in a root that/,
  );
  expect(chainFault([], [fingerprint(root)], at)).toBe('there is no certificate');
});

test('Rejects an unknown critical extension and ignores an unknown other one', () => {
  const unknown = { oid: '1.3.6.1.4.1.99999.1', value: der(0x05) };
  expect(findChainFault({}, { extensions: [unknown] })).toBeNull();
  expect(findChainFault({}, { extensions: [{ ...unknown, isCritical: true }] })).toBe(
    'the certificate of leaf has an unknown critical extension 1.3.6.1.4.1.99999.1',
  );
  expect(findChainFault({}, { extensions: [unknown, unknown] })).toBe(
    'the certificate of leaf cannot be read',
  );
});
