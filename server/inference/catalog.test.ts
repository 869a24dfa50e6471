import { availableParallelism } from 'node:os';
import { CatalogModel } from '@paid-inference/contract/validators';
import { expect, test } from 'vitest';
import shipped from '../catalog.json' with { type: 'json' };
import { type CatalogEntry, loadCatalog, presentModel, type RateCard } from './catalog.ts';

test('has 16 models of four providers in the shipped catalog: 3, 3, 4 and 6 (contract §1)', () => {
  const ids = readEntries(shipped).map((entry) => entry.id);
  expect(new Set(ids).size).toBe(16);
  const providers = Map.groupBy(ids, (id) => id.split('/')[0]);
  expect([...providers.values()].map((group) => group.length)).toEqual([3, 3, 4, 6]);
  expect(ids[0]).toBe('alder/alder-mini');
});

test('charges at most 100000 units for any request to the shipped catalog (D-16)', () => {
  for (const { id, contextLength, maxOutputTokens, rateCard } of readEntries(shipped)) {
    const quote = dearest(contextLength, maxOutputTokens, rateCard);
    expect(quote, id).toBeLessThanOrEqual(100_000n);
    expect(quote, id).toBeGreaterThan(rateCard.minimum);
  }
});

test('has different prices for all models of the shipped catalog', () => {
  const cards = readEntries(shipped).map(({ rateCard }) => Object.values(rateCard).join());
  expect(new Set(cards).size).toBe(16);
});

test('presents every entry as in the contract, without its upstream', () => {
  for (const entry of readEntries(shipped)) expect(CatalogModel(presentModel(entry))).toBe(true);
  const presented = presentModel(only(withUpstream));
  expect(CatalogModel(presented)).toBe(true);
  expect(presented).toMatchObject({ engine: 'openai', pricing: { input_per_million: '1000000' } });
  expect(JSON.stringify(presented)).not.toMatch(/upstream|inner-model|MODEL_KEY/);
});

test('finds an entry by its id, and nothing by an unknown id', () => {
  const catalog = loadCatalog(shipped);
  if (!catalog.ok) throw new Error(catalog.fault.join('\n'));
  expect(catalog.value.get('maple/maple-tools')?.ownedBy).toBe('maple');
  expect(catalog.value.get('maple/unknown')).toBeUndefined();
  expect(catalog.value.get('toString')).toBeUndefined();
});

test('reads an upstream with and without the name of its key', () => {
  const server = {
    baseUrl: 'http://127.0.0.1:9/v1',
    model: 'inner-model',
    apiKeyEnv: 'MODEL_KEY',
    weight: 1,
  };
  expect(only(withUpstream)).toMatchObject({ engine: 'openai', upstreams: [server] });
  const { api_key_env: _, ...keyless } = withUpstream.upstream;
  expect(only({ ...withUpstream, upstream: keyless }).upstreams).toEqual([{ ...server, apiKeyEnv: null }]);
  expect(only(model()).upstreams).toEqual([]);
});

test('reads several upstreams with their weights, in their order (D-310)', () => {
  const upstreams = [upstream(), { ...upstream(), base_url: 'http://127.0.0.1:8/v1', weight: 3 }];
  expect(only({ ...model(), engine: 'openai', upstreams }).upstreams).toMatchObject([
    { baseUrl: 'http://127.0.0.1:9/v1', weight: 1 },
    { baseUrl: 'http://127.0.0.1:8/v1', weight: 3 },
  ]);
});

test('reads the most inferences of a model at once (D-313)', () => {
  expect(only(model()).inferencesMax).toBeNull();
  expect(only({ ...model(), max_concurrent_inferences: 4 }).inferencesMax).toBe(4);
});

test('reads a model file, and leaves a core to the gateway by default', () => {
  const entry = (llama: object) => only({ ...model(), engine: 'llama', llama });
  const { llama } = entry({ file: 'm.gguf' });
  expect(llama).toMatchObject({ file: 'm.gguf', sequences: 2, usesGpu: false });
  expect(llama?.threads).toBe(Math.max(1, availableParallelism() - 1));
  const given = { file: 'm.gguf', threads: 3, sequences: 5, gpu: true };
  expect(entry(given)).toMatchObject({ upstreams: [], llama: { threads: 3, sequences: 5, usesGpu: true } });
  expect(JSON.stringify(presentModel(entry(given)))).not.toContain('gguf');
});

test.each<[string, unknown, RegExp]>([
  ['a number as content', 7, /^the catalog must be an object$/],
  ['no models', { models: [] }, /^models must have at least one model$/],
  ['an id without provider', { id: 'mini' }, /^models\[0\]\.id must be <provider>\/<model_name>/],
  ['an unknown engine', { engine: 'magic' }, /^models\[0\]\.engine must be one of reference, openai, llama$/],
  [
    'a price as a number',
    { pricing: { ...pricing(), minimum: 5 } },
    /^models\[0\]\.pricing\.minimum must be/,
  ],
  ['a fraction', { pricing: { ...pricing(), minimum: '0.5' } }, /^models\[0\]\.pricing\.minimum must be/],
  [
    'a price with too many digits',
    { pricing: { ...pricing(), minimum: '9'.repeat(31) } },
    /at most 30 digits$/,
  ],
  [
    'a price of zero for a request without input (D-16)',
    { pricing: { ...pricing(), output_per_million: '0', minimum: '0' } },
    /^models\[0\]\.pricing\.minimum must be at least "1", or output_per_million must be/,
  ],
  ['no pricing', { pricing: undefined }, /^models\[0\]\.pricing must be an object$/],
  [
    'an output over the context',
    { max_output_tokens: 9_999 },
    /^models\[0\]\.max_output_tokens must be at most/,
  ],
  ['a misspelt field', { contxt: 1 }, /^models\[0\] has "contxt", which is not a known field$/],
  ['a missing upstream', { engine: 'openai' }, /^models\[0\]\.upstream is missing/],
  ['a missing model file', { engine: 'llama' }, /^models\[0\]\.llama is missing, but the llama engine/],
  ['a needless model file', { llama: { file: 'm.gguf' } }, /^models\[0\]\.llama must be removed/],
  [
    'no threads',
    { engine: 'llama', llama: { file: 'm.gguf', threads: 0 } },
    /^models\[0\]\.llama\.threads must be a whole number from 1 to 1024$/,
  ],
  ['a needless upstream', { upstream: upstream() }, /^models\[0\]\.upstream must be removed/],
  ['needless upstreams', { upstreams: [upstream()] }, /^models\[0\]\.upstreams must be removed/],
  [
    'an upstream beside a list',
    { engine: 'openai', upstream: upstream(), upstreams: [upstream()] },
    /^models\[0\]\.upstream must be removed, because upstreams lists all servers$/,
  ],
  [
    'an empty list of upstreams',
    { engine: 'openai', upstreams: [] },
    /^models\[0\]\.upstreams must have 1 to 16 upstreams$/,
  ],
  [
    'a weight of 0',
    { engine: 'openai', upstreams: [{ ...upstream(), weight: 0 }] },
    /^models\[0\]\.upstreams\[0\]\.weight must be a whole number from 1 to 1000$/,
  ],
  [
    'a weight of a single upstream',
    openai({ weight: 2 }),
    /^models\[0\]\.upstream has "weight", which is not a known field$/,
  ],
  [
    'no inference at once',
    { max_concurrent_inferences: 0 },
    /^models\[0\]\.max_concurrent_inferences must be a whole number/,
  ],
  [
    'credentials in a URL',
    openai({ base_url: 'http://u:p@host/v1' }),
    /^models\[0\]\.upstream\.base_url must/,
  ],
  [
    'a key instead of its name',
    openai({ api_key_env: 'sk-123' }),
    /^models\[0\]\.upstream\.api_key_env must/,
  ],
])('rejects a catalog with %s in one sentence', (_, change, sentence) => {
  const isFile = typeof change !== 'object' || change === null || 'models' in change;
  const read = loadCatalog(isFile ? change : { models: [{ ...model(), ...change }] });
  expect(read.ok).toBe(false);
  if (read.ok) return;
  expect(read.fault).toHaveLength(1);
  expect(read.fault[0]).toMatch(sentence);
});

test.each([{ output_per_million: '0' }, { minimum: '0' }])(
  'reads the prices %o, with which no request is free (D-16)',
  (change) => {
    expect(loadCatalog({ models: [{ ...model(), pricing: { ...pricing(), ...change } }] }).ok).toBe(true);
  },
);

test('reports all faults at once, also those between fields and between models', () => {
  const broken = { ...model(), id: 'no-slash', created: -1, owned_by: '', pricing: { minimum: 'x' } };
  const read = loadCatalog({ models: [broken, { ...model(), id: 'no-slash', engine: 'openai' }] });
  expect(read.ok).toBe(false);
  if (read.ok) return;
  for (const place of ['id', 'created', 'owned_by', 'pricing.minimum', 'pricing.input_per_million'])
    expect(read.fault).toContainEqual(expect.stringContaining(`models[0].${place} `));
  expect(read.fault).toContain('models[1].id must be unique, but models[0] has the id "no-slash" too');
  expect(read.fault).toContainEqual(expect.stringContaining('models[1].upstream is missing'));
});

const withUpstream = { ...model(), engine: 'openai', upstream: upstream() };

function model() {
  return {
    id: 'alder/alder-mini',
    created: 1_700_000_000,
    owned_by: 'alder',
    engine: 'reference',
    context_length: 8_192,
    max_output_tokens: 2_048,
    pricing: pricing(),
  };
}

function pricing() {
  return { input_per_million: '1000000', output_per_million: '4000000', minimum: '1000' };
}

function upstream() {
  return { base_url: 'http://127.0.0.1:9/v1', model: 'inner-model', api_key_env: 'MODEL_KEY' };
}

function openai(change: Record<string, unknown>) {
  return { engine: 'openai', upstream: { ...upstream(), ...change } };
}

function readEntries(json: unknown): readonly CatalogEntry[] {
  const read = loadCatalog(json);
  if (!read.ok) throw new Error(read.fault.join('\n'));
  return read.value.list();
}

function only(entry: unknown): CatalogEntry {
  const [first] = readEntries({ models: [entry] });
  if (first === undefined) throw new Error('the catalog is empty');
  return first;
}

/** Computes D-16 a second time, so that an error in the quote does not hide one in the catalog. */
function dearest(inputTokens: number, maxTokens: number, card: RateCard): bigint {
  const micro = BigInt(inputTokens) * card.inputPerMillion + BigInt(maxTokens) * card.outputPerMillion;
  const price = (micro + 999_999n) / 1_000_000n;
  return price > card.minimum ? price : card.minimum;
}
