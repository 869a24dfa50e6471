import { describe, expect, it } from 'vitest';
import { attestation } from './attestation.ts';
import { loadConfig } from './load.ts';

function listFaults(environment: Readonly<Record<string, string>>): readonly string[] {
  const loaded = loadConfig(null, environment);
  return loaded.ok ? [] : loaded.fault;
}

describe('D-75: the attestation provider', () => {
  it('is chosen automatically by default, without requiring hardware', () => {
    expect(attestation.parse({})).toMatchObject({ provider: 'auto', required: 'none', timeoutMs: 10_000 });
    const loaded = loadConfig(null, { ATTESTATION_PROVIDER: 'dstack', ATTESTATION_REQUIRED: 'hardware' });
    expect(loaded).toMatchObject({
      value: { config: { attestation: { provider: 'dstack', required: 'hardware', timeoutMs: 10_000 } } },
    });
  });

  it('must be a known provider', () => {
    expect(listFaults({ ATTESTATION_PROVIDER: 'tpm' })).toEqual([
      expect.stringMatching(/^attestation\.provider \(ATTESTATION_PROVIDER\): /),
    ]);
  });

  it('cannot be software when hardware is required', () => {
    expect(listFaults({ ATTESTATION_PROVIDER: 'software', ATTESTATION_REQUIRED: 'hardware' })).toEqual([
      'attestation.provider (ATTESTATION_PROVIDER): must not be software when required is hardware',
    ]);
  });
});

describe('nitriding', () => {
  it.each(['http://127.0.0.1:8080', 'https://localhost', 'https://[::1]:8443'])('may be at %s', (url) => {
    expect(attestation.safeParse({ nitridingPublicUrl: url }).success).toBe(true);
  });

  it.each([
    'https://nitriding.example',
    'http://127.0.0.1.example',
    'http://10.0.0.1',
    'nitriding',
    'unix:/x',
  ])('must be a sidecar on this machine, not at %s', (url) => {
    expect(attestation.safeParse({ nitridingInternalUrl: url }).success).toBe(false);
  });
});
