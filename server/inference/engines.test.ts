import { expect, test } from 'vitest';
import shipped from '../catalog.json' with { type: 'json' };
import { json, openUpstream } from '../testing/inference/fake-upstream.ts';
import { manualClock } from '../types/clock.ts';
import { type Catalog, loadCatalog } from './catalog.ts';
import { createEngines } from './engines.ts';

const settings = {
  upstreamConnectTimeoutMs: 1_000,
  upstreamHeadersTimeoutMs: 5_000,
  upstreamResponseBytesMax: 65_536,
  upstreamEventBytesMax: 16_384,
  upstreamIdleTimeoutMs: 5_000,
  upstreamConnections: 2,
  upstreamAttemptsMax: 2,
  upstreamFailoverDelayMsMax: 0,
  upstreamFailuresMax: 2,
  upstreamPauseMs: 10_000,
  upstreamPauseMsMax: 60_000,
};
const silent = { info: () => undefined, warn: () => undefined };
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
  const engines = createEngines(catalog, settings, {}, silent);
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
  const engines = createEngines(catalog, settings, { UPSTREAM_KEY: 'abc' }, silent);
  if (!engines.ok) throw new Error(engines.fault.join('\n'));
  const engine = engines.value.engineFor('a/one');
  expect(engine.name).toBe('openai');
  expect(engines.value.engineFor('a/two')).toBe(engine);
  expect(engines.value.engineFor('a/three')).not.toBe(engine);
  const [one, three] = ['a/one', 'a/three'].map((id) => engines.value.engineFor(id).upstreams?.[0]?.probe);
  expect(one, 'one probe for each server').toBeDefined();
  expect(three).toBe(one);
  expect(await engine.infer(task, limits)).toMatchObject({ ok: true, value: { text: 'from afar' } });
  expect(upstream.seen[0]).toMatchObject({
    headers: { authorization: 'Bearer abc' },
    body: { model: 'inner' },
  });

  await engines.value.close();
  expect(await engine.infer(task, limits)).toMatchObject({ ok: false, fault: { kind: 'failed' } });
});

test('runs a model on the upstream that works, and logs the failures and the recovery of the other (D-310, D-312)', async () => {
  let isBroken = true;
  const completion = {
    id: 'c',
    object: 'text_completion',
    created: 1,
    model: 'inner',
    choices: [{ index: 0, text: 'pong', finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
  await using sick = await openUpstream((...exchange) => json(completion, isBroken ? 500 : 200)(...exchange));
  await using well = await openUpstream(json(completion));
  const { upstream, ...model } = entry('a/one', sick.baseUrl, 'inner');
  const upstreams = [upstream, { ...upstream, base_url: well.baseUrl }];
  const catalog = read({ models: [{ ...model, upstreams }, entry('a/two', sick.baseUrl, 'inner')] });
  const clock = manualClock(1_800_000_000);
  const logged: unknown[] = [];
  const note = (fields: object, text: string) => void logged.push([text, fields]);
  const ports = { clock, random: () => 0.5 };
  const engines = createEngines(
    catalog,
    settings,
    { UPSTREAM_KEY: 'abc' },
    { info: note, warn: note },
    ports,
  );
  if (!engines.ok) throw new Error(engines.fault.join('\n'));
  const engine = engines.value.engineFor('a/one');
  for (let count = 0; count < 6; count++)
    expect(await engine.infer(task, limits)).toMatchObject({ ok: true, value: { text: 'pong' } });
  expect([sick.seen.length, well.seen.length]).toEqual([2, 6]);
  // A model of one of the servers shares its breaker.
  expect(engines.value.engineFor('a/two').upstreams?.[0]?.breakerIssue()).not.toBeNull();
  isBroken = false;
  clock.advance(10);
  for (let count = 0; count < 2; count++) await engine.infer(task, limits);
  expect(engines.value.engineFor('a/two').upstreams?.[0]?.breakerIssue()).toBeNull();
  const fault = { kind: 'failed', detail: 'the upstream responded 500 with JSON' };
  const failover = [
    'an upstream failed; the request goes to another one',
    { model: 'a/one', upstream: 1, fault },
  ];
  expect(logged).toEqual([
    failover,
    ['an upstream failed too often in a row; it rests', { model: 'a/one', upstream: 1, failures: 2 }],
    failover,
    ['an upstream works again', { model: 'a/one', upstream: 1 }],
  ]);
  await engines.value.close();
});

test('reports every key that is missing or invalid, without its value', () => {
  const entries = [entry('a/one', 'http://h/v1', 'm', 'KEY_A'), entry('a/two', 'http://h/v1', 'm', 'KEY_B')];
  const engines = createEngines(read({ models: entries }), settings, { KEY_B: 'broken\nsecret' }, silent);
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
