import { expect, test } from 'vitest';
import { limits, text } from '../../testing/inference/exchange.ts';
import { createLlamaEngine } from './llama-engine.ts';
import { createModelLoader } from './load-model.ts';
import { createLlamaRuntime } from './runtime.ts';

// `npm ci` does not install the optional package, so these tests show what an operator without it sees.

const options = {
  file: '/models/secret-folder/m.gguf',
  contextTokens: 64,
  sequences: 1,
  threads: 1,
  usesGpu: false,
};

function createTestLog() {
  const lines: { readonly message: string }[] = [];
  const write = (fields: object, message: string) => void lines.push({ ...fields, message });
  return { lines, info: write, warn: write };
}

test('an engine without its package fails each task, and says why in the log', async () => {
  const log = createTestLog();
  const engine = createLlamaEngine(options, createLlamaRuntime(options, log), log);
  const detail = expect.stringContaining('node-llama-cpp cannot be loaded');
  expect(await engine.infer(text(), limits())).toMatchObject({
    ok: false,
    fault: { kind: 'failed', detail },
  });
  expect(await engine.upstreams?.[0]?.probe.issue()).toBe('the model m.gguf cannot be loaded');
  expect(log.lines).toMatchObject([
    { model: 'm.gguf', reason: detail, message: 'the model cannot be loaded' },
  ]);
  await engine.close();
});

test('tries again half a minute after a fault, and not before', async () => {
  let nowMs = 0;
  let tries = 0;
  const load = async () => ({ ok: false, fault: `fault ${++tries}` }) as const;
  const loader = createModelLoader(options, load, createTestLog(), () => nowMs);
  expect(loader.issue()).toBe('the model m.gguf is loading: 0 %');
  await loader.load();
  nowMs = 29_999;
  expect(await loader.load()).toMatchObject({ fault: expect.stringContaining('fault 1') });
  expect(loader.issue()).toBe('the model m.gguf cannot be loaded');
  nowMs = 30_000;
  expect(await loader.load()).toMatchObject({ fault: expect.stringContaining('fault 2') });
  await loader.close();
});
