import type { CheckedConfig } from './check-config.ts';

/** The text of `--check-config`. */
export function showConfig(checked: CheckedConfig): string {
  const rows: readonly (readonly [string, string])[] = [
    ['Listens on', checked.listensOn],
    ['Base URL', checked.baseUrl ?? 'the address that it listens on, with the port that it gets'],
    ...chainRows(checked.chain),
    ['Settled by', settledBy(checked)],
    ['Store', describeStore(checked)],
    ['Proof ledger', describeProofLedger(checked)],
    ['Attestation', describeAttestation(checked)],
    ['Models', `${checked.models.length}, prices in the token's smallest unit`],
    ...checked.models.map((model) => ['', modelLine(model)] as const),
    ...checked.warnings.map((warning) => ['Warning', warning] as const),
  ];
  const lines = rows.map(([name, text]) => `  ${name.padEnd(14)}${text}`);
  return ['The settings are valid. The gateway would run like this:', '', ...lines].join('\n');
}

function chainRows(chain: CheckedConfig['chain']): (readonly [string, string])[] {
  if (chain.kind === 'devnet') return [['Chain', `eip155:${chain.id}, embedded devnet in ${chain.folder}`]];
  return [
    ['Chain', `eip155:${chain.id} through ${chain.rpcUrls.join(', ')}`],
    ['Token', `${chain.token.name} at ${chain.token.address}`],
    ['Paid to', chain.payTo],
  ];
}

function settledBy({ settledBy: settlement }: CheckedConfig): string {
  switch (settlement.kind) {
    case 'devnet':
      return 'a relayer of the devnet';
    case 'relayers':
      return `${settlement.addresses.join(', ')}, for at most ${settlement.feeGweiMax} gwei a unit of gas`;
    case 'facilitator': {
      const { url, x402Version, hasToken } = settlement;
      const version = x402Version === null ? 'the version that it offers' : `x402 version ${x402Version}`;
      return `the facilitator ${url}, ${version}, ${hasToken ? 'with' : 'without'} a token`;
    }
  }
}

function describeStore({ store }: CheckedConfig): string {
  return store.kind === 'sqlite'
    ? `SQLite file ${store.file}`
    : `PostgreSQL database ${store.database} at ${store.host}`;
}

function describeProofLedger({ proofLedger }: CheckedConfig): string {
  if (proofLedger === null) return 'embedded, new at each start';
  const { contract, chainId, rpcUrl, writtenBy } = proofLedger;
  return `${contract} on eip155:${chainId} through ${rpcUrl}, written by ${writtenBy}`;
}

function describeAttestation({ attestation: { provider, required } }: CheckedConfig): string {
  if (required === 'hardware') return `${provider}; the start fails without hardware`;
  if (provider === 'auto')
    return 'auto: the first hardware that makes a report, else software, which is no TEE';
  return provider === 'software' ? 'software, which is no TEE' : provider;
}

function modelLine({ id, engine, upstreams, pricing }: CheckedConfig['models'][number]): string {
  const { input_per_million: input, output_per_million: output, minimum } = pricing;
  const isWeighted = upstreams.some(({ weight }) => weight !== upstreams[0]?.weight);
  const places = upstreams.map(({ url, weight }) => (isWeighted ? `${url} with the weight ${weight}` : url));
  const runs = places.length === 0 ? engine : `${engine} at ${places.join(', ')}`;
  return `${id}: ${input} for a million tokens of input, ${output} of output, at least ${minimum} (${runs})`;
}
