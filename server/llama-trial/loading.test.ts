import { truncateSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createModelLoader } from '../inference/llama/load-model.ts';
import { chat, limits } from '../testing/inference/exchange.ts';
import { complete, nativeLines, openTinyEngine, openTrialRuntime, story } from './tiny-engine.ts';

test('loads the model once, for the first task or the first look, and says so in the log', async () => {
  const { engine, lines } = openTinyEngine(story);
  expect(await engine.upstreams?.[0]?.probe.issue()).toMatch(/^the model tiny\.gguf is loading: \d+ %$/);
  await Promise.all([complete(engine), complete(engine)]);
  expect(await engine.upstreams?.[0]?.probe.issue()).toBeNull();
  expect(lines).toMatchObject([
    { message: 'the model is loaded', model: 'tiny.gguf', contextTokens: 512, sequences: 2, threads: 1 },
  ]);
});

test('reports its progress every five seconds', async () => {
  const { file } = openTinyEngine(story);
  const lines: { readonly message: string; readonly percent?: number }[] = [];
  const write = (fields: object, message: string) => void lines.push({ ...fields, message });
  let nowMs = 0;
  const now = () => {
    nowMs += 2_600;
    return nowMs;
  };
  const options = { file, contextTokens: 64, sequences: 1, threads: 1, usesGpu: false };
  const loader = createModelLoader(options, openTrialRuntime, { info: write, warn: write }, now);
  expect(await loader.load()).toMatchObject({ ok: true });
  await loader.close();
  const percents = lines
    .filter(({ message }) => message === 'the model is loading')
    .map(({ percent }) => percent);
  expect(percents.length).toBeGreaterThan(0);
  expect(percents).toEqual(percents.toSorted((one = 0, other = 0) => one - other));
});

test('reports a damaged file, and fails each task', async () => {
  const { engine, file, lines } = openTinyEngine(story);
  truncateSync(file, 20_000);
  const inferred = await engine.infer(chat(), limits());
  const detail = expect.stringContaining('the model tiny.gguf cannot be loaded');
  expect(inferred).toMatchObject({ ok: false, fault: { kind: 'failed', detail } });
  expect(await engine.upstreams?.[0]?.probe.issue()).toBe('the model tiny.gguf cannot be loaded');
  expect(lines.at(-1)).toMatchObject({ message: 'the model cannot be loaded' });
  await expect
    .poll(() => nativeLines)
    .toContainEqual({
      message: 'llama.cpp reports',
      reason: expect.stringContaining('not within the file bounds'),
    });
});

test('warns of a context that is longer than the one of the training', async () => {
  const { engine, lines } = openTinyEngine(story, { contextTokens: 8_192, sequences: 1 });
  await complete(engine);
  expect(lines).toContainEqual(expect.objectContaining({ contextTokens: 8_192, trainedWith: 4_096 }));
});

test('closes while the model loads', async () => {
  const { engine } = openTinyEngine(story);
  const inferred = engine.infer(chat(), limits());
  await engine.close();
  expect(await inferred).toMatchObject({ ok: false, fault: { kind: 'failed' } });
});
