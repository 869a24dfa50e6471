import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import shipped from '../catalog.json' with { type: 'json' };
import { loadCatalog } from './catalog.ts';
import { listLlamaFaults } from './llama-files.ts';

test('names the missing package once, and each file that is missing or no GGUF file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'paid-inference-llama-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [good, text, none] = ['good.gguf', 'text.gguf', 'none.gguf'].map((name) => join(folder, name));
  writeFileSync(`${good}`, 'GGUF\x03\x00\x00\x00');
  writeFileSync(`${text}`, 'a model');
  const catalog = read([entry('a/one', `${good}`), entry('a/two', `${text}`), entry('a/three', `${none}`)]);
  expect(listLlamaFaults(catalog)).toEqual([
    'The model a/one needs the package node-llama-cpp. Install it: npm install node-llama-cpp@3.21.1',
    `The model file ${text} is no GGUF file.`,
    `The model file ${none} cannot be read (ENOENT). Set the file of the model in the catalog to a GGUF file.`,
  ]);
  expect(listLlamaFaults(read([entry('a/one', `${good}`)]), () => true)).toEqual([]);
  expect(listLlamaFaults(read(shipped.models))).toEqual([]);
});

function entry(id: string, file: string) {
  return { ...shipped.models[0], id, engine: 'llama', llama: { file } };
}

function read(models: readonly unknown[]) {
  const catalog = loadCatalog({ models });
  if (!catalog.ok) throw new Error(catalog.fault.join('\n'));
  return catalog.value;
}
