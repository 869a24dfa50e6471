import { expect, test } from 'vitest';
import { type CertificateRequest, fingerprint, issue } from '../../testing/certificates.ts';
import { chainFault } from './certificate-chain.ts';

const at = 1_790_000_000;
const days = { from: at - 100, until: at + 100 };
const root = await issue({ name: 'root', issuer: null, ...days, authority: {} });

/** The fault of a chain of root, middle and leaf, with changes to middle and leaf. */
async function findChainFault(
  middle: Partial<CertificateRequest> = {},
  leaf: Partial<CertificateRequest> = {},
): Promise<string | null> {
  const issuer = await issue({
    name: 'middle',
    issuer: root,
    ...days,
    authority: { pathLength: 0 },
    ...middle,
  });
  const end = await issue({ name: 'leaf', issuer, ...days, ...leaf });
  return chainFault(
    [end, issuer, root].map(({ certificate }) => certificate),
    [fingerprint(root)],
    at,
  );
}

test('Accepts a chain from leaf to root', async () => {
  expect(await findChainFault()).toBeNull();
});

test('Rejects a certificate outside its period', async () => {
  expect(await findChainFault({}, { until: at - 1 })).toBe(
    'the certificate of leaf expired at 2026-09-21T14:13:19Z',
  );
  expect(await findChainFault({ until: at - 1 })).toMatch(/^the certificate of middle expired/);
  expect(await findChainFault({}, { from: at + 1 })).toBe(
    'the certificate of leaf is not valid before 2026-09-21T14:13:21Z',
  );
});

test('Rejects an issuer that is no authority, and a chain beyond the path length', async () => {
  const { authority: _, ...plain } = { authority: {}, name: 'middle', issuer: root, ...days };
  const middle = await issue(plain);
  const leaf = await issue({ name: 'leaf', issuer: middle, ...days });
  const chain = [leaf, middle, root].map(({ certificate }) => certificate);
  expect(chainFault(chain, [fingerprint(root)], at)).toBe(
    'the certificate of middle may not issue certificates',
  );

  const near = await issue({ name: 'near', issuer: root, ...days, authority: { pathLength: 0 } });
  const far = await issue({ name: 'far', issuer: near, ...days, authority: {} });
  const end = await issue({ name: 'end', issuer: far, ...days });
  const long = [end, far, near, root].map(({ certificate }) => certificate);
  expect(chainFault(long, [fingerprint(root)], at)).toBe('the certificate of near exceeds its path length');
});

test('Rejects an issuer whose key may not sign certificates', async () => {
  const digitalSignature = { oid: '2.5.29.15', isCritical: true, value: Buffer.from('03020780', 'hex') };
  expect(await findChainFault({ extensions: [digitalSignature] })).toBe(
    'the certificate of leaf is not issued by middle',
  );
  const keyCertSign = { ...digitalSignature, value: Buffer.from('03020204', 'hex') };
  expect(await findChainFault({ extensions: [keyCertSign] })).toBeNull();
});

test('Rejects an issuer that only has the right name', async () => {
  const impostor = await issue({ name: 'middle', issuer: root, ...days, authority: {} });
  const honest = await issue({ name: 'middle', issuer: root, ...days, authority: {} });
  const leaf = await issue({ name: 'leaf', issuer: impostor, ...days });
  const chain = [leaf, honest, root].map(({ certificate }) => certificate);
  expect(chainFault(chain, [fingerprint(root)], at)).toBe('the certificate of leaf is not issued by middle');
});

test('Rejects a root that is not pinned, whatever its name', async () => {
  const other = await issue({ name: 'root', issuer: null, ...days, authority: {} });
  expect(chainFault([other.certificate], [fingerprint(root)], at)).toMatch(
    /^the certificates end in a root that/,
  );
  expect(chainFault([], [fingerprint(root)], at)).toBe('there is no certificate');
});

test('Rejects an unknown critical extension and ignores an unknown other one', async () => {
  const unknown = { oid: '1.3.6.1.4.1.99999.1', value: Buffer.from('0500', 'hex') };
  expect(await findChainFault({}, { extensions: [unknown] })).toBeNull();
  expect(await findChainFault({}, { extensions: [{ ...unknown, isCritical: true }] })).toBe(
    'the certificate of leaf has an unknown critical extension 1.3.6.1.4.1.99999.1',
  );
  expect(await findChainFault({}, { extensions: [unknown, unknown] })).toBe(
    'the certificate of leaf cannot be read',
  );
});
