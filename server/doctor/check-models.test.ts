import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { configSchema } from '../config/schema.ts';
import { findFreePort } from '../testing/free-port.ts';
import { systemClock } from '../types/clock.ts';
import { checkModels } from './check-models.ts';

let folder: string;
let upstream: Server;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'paid-inference-models-'));
  upstream = createServer((request, response) => {
    response.writeHead(request.headers.authorization === 'Bearer right' ? 200 : 401).end('{"data":[]}');
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  upstream.close();
  rmSync(folder, { recursive: true });
});

const pricing = { input_per_million: '1000000', output_per_million: '4000000', minimum: '1000' };
const model = (id: string, base: object) => ({
  id,
  created: 1_700_000_000,
  owned_by: 'alder',
  context_length: 8_192,
  max_output_tokens: 2_048,
  pricing,
  ...base,
});
const inside = model('alder/inside', { engine: 'reference' });
const at = (id: string, port: number) =>
  model(id, {
    engine: 'openai',
    upstream: { base_url: `http://127.0.0.1:${port}/v1`, model: 'm', api_key_env: 'UPSTREAM_KEY' },
  });
const portOfUpstream = () => (upstream.address() as AddressInfo).port;

async function check(models: readonly object[], key = 'right') {
  const catalogFile = join(folder, 'catalog.json');
  writeFileSync(catalogFile, JSON.stringify({ models }));
  const loaded = { config: configSchema.parse({ catalogFile }), relayerKeys: [] };
  const environment = { UPSTREAM_KEY: key };
  const found = await checkModels({ loaded, environment, clock: systemClock });
  return found.map(({ status, text }) => `${status}: ${text}`);
}

it('counts the models, and the upstreams that respond', async () => {
  expect(await check([inside])).toEqual(['ok: 1 model inside the gateway.']);
  expect(await check([inside, at('alder/one', portOfUpstream()), at('alder/two', portOfUpstream())])).toEqual(
    ['ok: 3 models from 1 upstream in reach.'],
  );
});

it('names the models of an upstream that is down: a warning if others can be sold, else a failure', async () => {
  const away = [at('alder/one', await findFreePort())];
  const sentence =
    /alder\/one cannot be sold now: the upstream is unavailable: .*ECONNREFUSED.*Start the upstream/;
  const [warning] = await check([inside, ...away]);
  expect(warning).toMatch(/^warning: /);
  expect(warning).toMatch(sentence);
  const [failure] = await check(away);
  expect(failure).toMatch(/^failed: /);
  expect(failure).toMatch(sentence);
});

it('reports a key that the upstream rejects, a missing key, and a broken catalog', async () => {
  const models = [at('alder/one', portOfUpstream())];
  expect(await check(models, 'wrong')).toEqual([
    expect.stringMatching(/^failed: .*the upstream rejects the key in UPSTREAM_KEY/),
  ]);
  expect(await check(models, '')).toEqual([expect.stringMatching(/^failed: UPSTREAM_KEY must be set/)]);
  expect(await check([{ id: 'x' }])).toContainEqual(expect.stringMatching(/^failed: .*catalog\.json: /));
});
