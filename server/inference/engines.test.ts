import { expect, test } from 'vitest';
import shipped from '../catalog.json' with { type: 'json' };
import { json, openUpstream } from '../testing/inference/fake-upstream.ts';
import { type Catalog, loadCatalog } from './catalog.ts';
import { createEngines } from './engines.ts';

const settings = {
  upstreamConnectTimeoutMs: 1_000,
  upstreamHeadersTimeoutMs: 5_000,
  upstreamResponseBytesMax: 65_536,
  upstreamEventBytesMax: 16_384,
  upstreamIdleTimeoutMs: 5_000,
  upstreamConnections: 2,
};
const log = { info: () => {}, warn: () => {} };
const limits = { timeoutMs: 5_000, signal: new AbortController().signal };
const task = {
  kind: 'text',
  model: 'x/y',
  prompt: 'say pong',
  maxTokens: 9,
  temperature: 0,
  stop: [],
  fields: {},
} as const;

test('runs the shipped catalog on one reference engine, without environment variables', async () => {
  const catalog = read(shipped);
  const engines = createEngines(catalog, settings, {}, log);
  if (!engines.ok) throw new Error(engines.fault.join('\n'));
  const running = catalog.list().map((entry) => engines.value.engineFor(entry.id));
  expect(new Set(running).size).toBe(1);
  expect(running[0]?.name).toBe('reference');
  expect(await running[0]?.infer(task, limits)).toMatchObject({ ok: true, value: { text: 'pong' } });
  expect(() => engines.value.engineFor('alder/none')).toThrow('alder/none is not in the catalog');
  await engines.value.close();
});

test('runs a model at its upstream, with the key from the environment', async () => {
  await using upstream = await openUpstream(
    json({
      id: 'c',
      object: 'text_completion',
      created: 1,
      model: 'inner',
      choices: [{ index: 0, text: 'from afar', finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    }),
  );
  const entries = [entry('a/one', upstream.baseUrl, 'inner'), entry('a/two', upstream.baseUrl, 'inner')];
  const catalog = read({ models: [...entries, entry('a/three', upstream.baseUrl, 'other')] });
  const engines = createEngines(catalog, settings, { UPSTREAM_KEY: 'abc' }, log);
  if (!engines.ok) throw new Error(engines.fault.join('\n'));
  const engine = engines.value.engineFor('a/one');
  expect(engine.name).toBe('openai');
  expect(engines.value.engineFor('a/two')).toBe(engine);
  expect(engines.value.engineFor('a/three')).not.toBe(engine);
  expect(engine.upstream, 'one probe for each server').toBeDefined();
  expect(engines.value.engineFor('a/three').upstream).toBe(engine.upstream);
  expect(await engine.infer(task, limits)).toMatchObject({ ok: true, value: { text: 'from afar' } });
  expect(upstream.seen[0]).toMatchObject({
    headers: { authorization: 'Bearer abc' },
    body: { model: 'inner' },
  });

  await engines.value.close();
  expect(await engine.infer(task, limits)).toMatchObject({ ok: false, fault: { kind: 'failed' } });
});

test('reports every key that is missing or invalid, without its value', () => {
  const entries = [entry('a/one', 'http://h/v1', 'm', 'KEY_A'), entry('a/two', 'http://h/v1', 'm', 'KEY_B')];
  const engines = createEngines(read({ models: entries }), settings, { KEY_B: 'broken\nsecret' }, log);
  expect(engines).toEqual({
    ok: false,
    fault: [
      'KEY_A must be set in the environment, because the model a/one needs it',
      'KEY_B must have visible ASCII characters only',
    ],
  });
});

function entry(id: string, baseUrl: string, model: string, apiKeyEnv = 'UPSTREAM_KEY') {
  return {
    id,
    created: 1_700_000_000,
    owned_by: 'a',
    engine: 'openai',
    context_length: 4_096,
    max_output_tokens: 1_024,
    pricing: { input_per_million: '1', output_per_million: '1', minimum: '1' },
    upstream: { base_url: baseUrl, model, api_key_env: apiKeyEnv },
  };
}

function read(json: unknown): Catalog {
  const catalog = loadCatalog(json);
  if (!catalog.ok) throw new Error(catalog.fault.join('\n'));
  return catalog.value;
}
