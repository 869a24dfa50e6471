import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { sources } from './scripts/sources.ts';
import { checkPlans } from './testing/check-plans.ts';
import { type Checkout, openCheckout } from './testing/checkout.ts';
import { compilePrograms } from './testing/compile-programs.ts';
import { type Block, readBlocks } from './testing/page-blocks.ts';
import { type RunPlan, runPlans } from './testing/page-plans.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const pages = ['README.md', '.github/CONTRIBUTING.md', '.github/SECURITY.md', ...pagesOfPackages()];
const blocks = new Map(
  pages.flatMap((page) => readBlocks(page, read(page))).map((each) => [keyOf(each), each]),
);
const { scripts } = JSON.parse(read('package.json')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

let checkout: Checkout;
beforeAll(async () => {
  checkout = await openCheckout();
});
afterAll(() => checkout.close());

it('Each command and block of a page is in exactly one list', () => {
  const planned = [...Object.keys(runPlans), ...Object.keys(checkPlans)];
  expect(planned.toSorted()).toEqual([...blocks.keys()].toSorted());
});

it('npm start prints its URL, its token, and commands that buy and verify', () => {
  for (const words of ['http://127.0.0.1:', 'Token ', 'npm run chat -- ', 'npm run verify -- bought.json'])
    expect(checkout.started).toContain(words);
});

describe('The page block runs:', () => {
  it.each(Object.entries(runPlans))('%s', async (key, plan) => {
    const block = blocks.get(key);
    if (block === undefined) throw new Error(`No page has the block ${key}`);
    const { code, stdout, stderr } = await checkout.run(prepare(block, plan));
    expect(code, stdout + stderr).toBe(plan.exitCode ?? 0);
    expect(stdout + stderr).toMatch(plan.prints);
  });
});

describe('The page block is checked without a run:', () => {
  it.each(Object.entries(checkPlans))('%s', async (key, plan) => {
    if ('testedBy' in plan) expect(existsSync(join(root, plan.testedBy))).toBe(true);
    else expect(plan.notRun).toMatch(/^It /);
    if (blocks.get(key)?.language !== 'sh') return;
    for (const command of key.split(' && ')) await checkCommand(command);
  });
});

it('The TypeScript of the pages compiles', () => {
  const programs = [...blocks].filter(([, { language }]) => language === 'ts');
  expect(programs.length).toBeGreaterThan(3);
  const names = programs.map(([key, { text }], index) => {
    // The name stands for a function of the reader.
    const declared = text.includes('startMyGateway') ? 'declare function startMyGateway(): string;\n' : '';
    const library = text.includes('window.') ? '/// <reference lib="dom" />\n' : '';
    // A block may continue a program, which its plan has.
    const { content = (code: string) => code } = runPlans[key]?.file ?? {};
    checkout.write(`block-${index}.ts`, library + declared + content(text));
    return `block-${index}.ts`;
  });
  const config = checkout.write(
    'tsconfig.blocks.json',
    JSON.stringify({ extends: './tsconfig.json', include: names }),
  );
  expect(compilePrograms(config)).toBe('');
});

it('The step of a CI gives only inputs that the action has', () => {
  const key = 'conformance/README.md: - uses: <owner>/<repository>/conformance@<commit>';
  const [step]: { with: object }[] = parse(blocks.get(key)?.text ?? '');
  const action: { inputs: object } = parse(read('conformance/action.yml'));
  expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(step?.with ?? {})));
});

function pagesOfPackages(): readonly string[] {
  const generated = ['conformance/COVERAGE.md'];
  return sources.map(({ path }) => path).filter((path) => path.endsWith('.md') && !generated.includes(path));
}

/** A command by its text, so that a command of several pages runs once; another block by its page and first line. */
function keyOf({ page, language, text }: Block): string {
  return language === 'sh' ? text : `${page}: ${text.slice(0, text.indexOf('\n'))}`;
}

/** Writes the file of the block, if the plan has one, and returns the command to run. */
function prepare({ text }: Block, { file, command = text, change = (same) => same }: RunPlan): string {
  if (file) checkout.write(file.name, checkout.fill(file.content?.(text) ?? text));
  return checkout.fill(change(command));
}

/** Checks that the script exists, with its options and folders. */
async function checkCommand(command: string): Promise<void> {
  const [, name] = /^npm (?:run )?([\w:]+)/.exec(command) ?? [];
  if (name === undefined || name === 'ci' || name === 'install') return;
  expect(Object.keys(scripts)).toContain(name);
  for (const [file] of scripts[name]?.matchAll(/\S+\.ts\b/g) ?? [])
    expect(existsSync(join(root, file))).toBe(true);
  const [, given] = command.split(' -- ');
  if (given === undefined) return;
  const options = given.match(/--[\w-]+/g);
  if (options === null) expect(existsSync(join(root, given))).toBe(true);
  else {
    const { stdout } = await checkout.run(`npm run ${name} -- --help`);
    for (const option of options) expect(stdout).toContain(`${option} `);
  }
}
