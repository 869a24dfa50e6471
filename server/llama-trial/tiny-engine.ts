import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Engine, EngineLog } from '../inference/engine.ts';
import { type LlamaLibrary, libraryName } from '../inference/llama/library.ts';
import { createLlamaEngine } from '../inference/llama/llama-engine.ts';
import type { LlamaModelOptions } from '../inference/llama/load-model.ts';
import { createLlamaRuntime } from '../inference/llama/runtime.ts';
import { chat, limits } from '../testing/inference/exchange.ts';
import { type TinyModel, writeTinyModel } from '../testing/inference/tiny-model.ts';
import { ok } from '../types/result.ts';

type LogLine = { readonly message: string; readonly [field: string]: unknown };

/** The lines of llama.cpp itself. */
export const nativeLines: LogLine[] = [];
const nativeLog = createTestLog(nativeLines);

/** The package of this folder. The gateway looks for it in its own `node_modules`. */
const load = async () => ok((await import(libraryName)) as LlamaLibrary);
export const openTrialRuntime = createLlamaRuntime({ threads: 1, usesGpu: false }, nativeLog, load);

function createTestLog(lines: LogLine[]): EngineLog {
  const write = (fields: object, message: string) => void lines.push({ ...fields, message });
  return { info: write, warn: write };
}

/** Opens an engine with a tiny model of its own, and closes it with the test. */
export function openTinyEngine(model: TinyModel, change: Partial<LlamaModelOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'paid-inference-tiny-'));
  const file = join(folder, 'tiny.gguf');
  writeTinyModel(file, model);
  const lines: LogLine[] = [];
  const options = { file, contextTokens: 512, sequences: 2, threads: 1, usesGpu: false, ...change };
  const engine = createLlamaEngine(options, openTrialRuntime, createTestLog(lines));
  onTestFinished(async () => {
    await engine.close();
    rmSync(folder, { recursive: true });
  });
  return { engine, file, lines };
}

/** Runs a chat, and throws for a fault. */
export async function complete(engine: Engine, change: Parameters<typeof chat>[0] = {}) {
  const messages = [{ role: 'user', content: 'Hi' }] as const;
  const inferred = await engine.infer(chat({ messages: [...messages], temperature: 0, ...change }), limits());
  if (!inferred.ok) throw new Error(`${inferred.fault.kind}: ${inferred.fault.detail}`);
  if (inferred.value.kind !== 'chat') throw new Error('the completion is no chat');
  return inferred.value;
}

/** `Once upon a time`, and the end. */
export const story: TinyModel = {
  follows: {
    '\n': ['Once'],
    Once: [' upon'],
    ' upon': [' a'],
    ' a': [' time'],
    ' time': [''],
  },
};

/** A text without an end. */
export const endless: TinyModel = { follows: { '\n': ['la'], la: [' la'], ' la': [' la'] } };
