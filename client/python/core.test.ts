import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { pythonLiteral, simplifySchema } from './python-literal.ts';
import { replaceTables } from './tables.ts';

const here = import.meta.dirname;
const read = (name: string) => readFileSync(join(here, name), 'utf8');
const isNew = 'import sys; sys.exit(sys.version_info < (3, 10))';
const noPython = spawnSync('python3', ['-c', isNew]).status !== 0;
const reason = noPython ? ' (skipped: This machine has no python3 of version 3.10 or later.)' : '';

test.skipIf(noPython)(`The tests that need only Python's standard library pass${reason}`, () => {
  const tests = ['-m', 'unittest', 'discover', '-s', 'tests', '-p', 'test_core*.py'];
  const { status, stderr } = spawnSync('python3', ['-B', ...tests], {
    cwd: here,
    env: { PATH: process.env['PATH'], PYTHONPATH: here },
    encoding: 'utf8',
  });
  expect(stderr).toMatch(/Ran [1-9]\d+ tests/);
  expect(status, stderr).toBe(0);
});

test.skipIf(noPython)(`Every module is valid in Python 3.10${reason}`, () => {
  const parse =
    'import ast, sys; [ast.parse(open(f).read(), f, feature_version=(3, 10)) for f in sys.argv[1:]]';
  const files = ['paid_inference', 'tests'].flatMap((folder) =>
    readdirSync(join(here, folder))
      .filter((name) => name.endsWith('.py'))
      .map((name) => join(folder, name)),
  );
  expect(files.length).toBeGreaterThan(15);
  const { status, stderr } = spawnSync('python3', ['-B', '-c', parse, ...files], {
    cwd: here,
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
});

describe('The Python package', () => {
  it('has the version of the workspace', () => {
    const { version } = JSON.parse(read('../../package.json'));
    expect(/^version = "(.*)"$/m.exec(read('pyproject.toml'))?.[1]).toBe(version);
  });

  it('has a row in the manual for each client, with the pinned version', () => {
    const pinned = ['httpx2', 'httpx'].map((name) => read(`tests/requirements-${name}.txt`)).join('');
    const rows = [...read('README.md').matchAll(/^\| `([\w-]+)` ([\w.]+)(, async)? \|/gm)];
    expect(new Set(rows.map(([, name]) => name))).toEqual(
      new Set(['openai', 'langchain-openai', 'litellm', 'httpx2', 'httpx', 'requests']),
    );
    const [, head = ''] = /^\| feature \|(.*)\|$/m.exec(read('README.md')) ?? [];
    const sdks = [...head.matchAll(/`([\w-]+)` ([\w.]+)/g)];
    expect(sdks.length).toBeGreaterThan(3);
    for (const [, name, version] of [...rows, ...sdks]) expect(pinned).toContain(`${name}==${version}\n`);
  });
});

describe('pythonLiteral', () => {
  it('writes JSON as Python', () => {
    expect(pythonLiteral({ a: [true, null, 1.5], b: 'x"y' })).toBe(
      '{\n    "a": [\n        True,\n        None,\n        1.5,\n    ],\n    "b": "x\\"y",\n}',
    );
  });
});

describe('simplifySchema', () => {
  const schemas = (rules: object) => ({
    components: { schemas: { A: { type: 'object', properties: { b: { $ref: '#/x/B' } } }, B: rules } },
  });

  it('replaces references and formats by rules', () => {
    const document = schemas({ type: 'integer', format: 'int32', minimum: 1, description: 'a number' });
    expect(simplifySchema(document, 'A')).toEqual({
      type: 'object',
      properties: { b: { type: 'integer', minimum: 1, maximum: 2 ** 31 - 1 } },
    });
  });

  it('rejects a rule that the Python client does not check', () => {
    expect(() => simplifySchema(schemas({ oneOf: [] }), 'A')).toThrow('does not check "oneOf"');
  });
});

describe('replaceTables', () => {
  const page = [
    'text\n<!-- faults -->\nold\n<!-- end of faults -->\nmore\n',
    '<!-- features -->\n<!-- end of features -->\n',
  ].join('');
  const measured = {
    faults: { '`openai` 1': { none: '1, 1', 'reset after': '2, 1' } },
    features: { '`openai` 1': { chat: 'yes' }, '`litellm` 1': { chat: 'no', tools: '–' } },
  };

  it('writes a row for each client, and a question mark for a cell that was not measured', () => {
    const found = replaceTables(page, measured);
    expect(found).toMatch(/^text\n<!-- faults -->\n\| client \| none \| 503 before \|/);
    expect(found).toContain(
      '| `openai` 1 | 1, 1 | ? | ? | ? | ? | ? | ? | ? | 2, 1 |\n<!-- end of faults -->',
    );
  });

  it('writes a row for each feature', () => {
    expect(replaceTables(page, measured)).toContain(
      '| feature | `openai` 1 | `litellm` 1 |\n| --- | --- | --- |\n| chat | yes | no |\n| tools | ? | – |\n',
    );
  });

  it('needs the marks of both tables', () => {
    expect(() => replaceTables('text', measured)).toThrow('no place for the table of faults');
  });
});
