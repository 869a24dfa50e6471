import { z } from 'zod';
import { providerKinds } from '../proof/attestation/provider.ts';
import { milliseconds } from './numbers.ts';

// The gateway trusts this address without a certificate, so it must be on this machine.
const localUrl = z
  .url({ protocol: /^https?$/, message: 'must be an http or https URL' })
  .refine((url) => loopback.has(URL.parse(url)?.hostname ?? ''), {
    message: 'must be on this machine: 127.0.0.1, localhost or [::1]',
  });
const loopback: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** The provider that attests the enclave key, and its interfaces (D-75). */
export const attestation = z
  .strictObject({
    /** `auto` takes the first provider that makes a report. Any other value must make one. */
    provider: z.enum(['auto', ...providerKinds]).default('auto'),
    /** With `hardware` the gateway does not start without a hardware report. */
    required: z.enum(['none', 'hardware']).default('none'),
    /** The longest time for one report. */
    timeoutMs: milliseconds.default(10_000),
    tsmFolder: z.string().min(1).default('/sys/kernel/config/tsm/report'),
    dstackSocket: z.string().min(1).default('/var/run/dstack.sock'),
    confidentialSpaceSocket: z.string().min(1).default('/run/container_launcher/teeserver.sock'),
    nitridingInternalUrl: localUrl.default('http://127.0.0.1:8080'),
    nitridingPublicUrl: localUrl.default('https://127.0.0.1:443'),
    /** Only an AWS Nitro enclave has this device. */
    nsmDevice: z.string().min(1).default('/dev/nsm'),
  })
  .refine(({ provider, required }) => provider !== 'software' || required === 'none', {
    path: ['provider'],
    message: 'must not be software when required is hardware',
  })
  .prefault({});

export type AttestationSettings = Readonly<z.infer<typeof attestation>>;
