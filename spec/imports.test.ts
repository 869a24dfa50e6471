import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import {
  isTest,
  type Package,
  packages,
  type Source,
  typescriptSources,
  withoutComments,
} from './scripts/sources.ts';

type Manifest = {
  readonly imports?: Readonly<Record<string, unknown>>;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
};

const manifests = new Map(packages.map((name) => [name, readManifest(`../${name}/package.json`)]));
const testers = Object.keys(readManifest('../package.json').devDependencies ?? {});
const contract = '@paid-inference/contract';
const contractEntryPoints = Object.keys(readManifest('../generated/package.json').exports ?? {});

/** The packages of the workspace that a package may depend on: only the contract; spec/ only in its tests. */
const workspace: Readonly<Record<Package, readonly string[]>> = {
  spec: [],
  generated: [],
  server: [contract],
  client: [contract],
  conformance: [contract],
};

/** The same for development: the web page has the client in its scripts, which only browsers run (D-372). */
const forDevelopment: Partial<Record<Package, readonly string[]>> = {
  spec: [contract],
  server: ['@paid-inference/client'],
};

describe.each(packages)('%s/', (name) => {
  const {
    imports = {},
    dependencies = {},
    devDependencies = {},
    peerDependencies = {},
  } = manifests.get(name) ?? {};
  const ours = typescriptSources.filter((source) => source.package === name);

  it('depends on no package of the workspace except the contract', () => {
    const siblings = (all: object) => Object.keys(all).filter((each) => each.startsWith('@paid-inference/'));
    expect(siblings(dependencies)).toEqual(workspace[name]);
    expect(siblings(devDependencies)).toEqual(forDevelopment[name] ?? []);
  });

  it('imports only its own files, Node, and the dependencies of its package.json', () => {
    expect(ours.length).toBeGreaterThan(3);
    const named = Object.keys({ ...imports, ...dependencies, ...peerDependencies });
    const forTests = [...named, ...Object.keys(devDependencies), ...testers];
    // spec/ is not shipped, so it has only development dependencies.
    const unexpected = ours.flatMap((source) => {
      const allowed = name === 'spec' || isTest(source.path) || isTool(source.path) ? forTests : named;
      return listImports(source)
        .filter((specifier) => !isAllowed(specifier, source, allowed))
        .map((specifier) => `${source.path}: ${specifier}`);
    });
    expect(unexpected).toEqual([]);
  });

  it('imports every file with its extension, as Node requires', () => {
    const bare = ours.flatMap((source) =>
      listImports(source)
        .filter((specifier) => specifier.startsWith('.') && !/\.(tsx?|js|json)$/.test(specifier))
        .map((specifier) => `${source.path}: ${specifier}`),
    );
    expect(bare).toEqual([]);
  });

  it('has index.ts only at its top', () => {
    const inner = ours.filter(({ path }) => path.endsWith('/index.ts') && path.split('/').length > 2);
    expect(inner.map(({ path }) => path)).toEqual(name === 'spec' ? ['spec/emitter/index.ts'] : []);
  });
});

it('only the tests of spec/ import the contract package', () => {
  const readers = typescriptSources.filter(
    (source) => source.package === 'spec' && listImports(source).some((each) => each.startsWith(contract)),
  );
  expect(readers.filter(({ path }) => !isTest(path)).map(({ path }) => path)).toEqual([]);
});

it('only server/http imports Koa, and the benchmark that compares the gateway with it', () => {
  const users = typescriptSources.filter((source) => listImports(source).includes('koa'));
  expect(users.map(({ path }) => path).sort()).toEqual([
    'server/bench/targets/bare.ts',
    'server/http/app.ts',
  ]);
});

it('only the demo, the faults and the self-tests of the suite use files of another package', () => {
  const path = /\b(server|client|conformance)(?:\/|', ')[\w/.-]*\.ts['"`]/g;
  const starters = typescriptSources.filter(
    (source) =>
      !['spec', 'generated'].includes(source.package) &&
      [...withoutComments(source.text).matchAll(path)].some(([, other]) => other !== source.package),
  );
  expect(starters.map((source) => source.path).sort()).toEqual([
    'client/demo/gateway-process.ts',
    'conformance/clients/official/clients.ts',
    'conformance/clients/project-client.test.ts',
    'conformance/mutants/reference/gateway.ts',
    'conformance/mutants/reference/mutants.ts',
    'conformance/testing/gateway-process.ts',
    'server/faults/paying-proxy.ts',
  ]);
});

function isAllowed(specifier: string, source: Source, allowed: readonly string[]): boolean {
  if (isBuiltin(specifier)) return specifier.startsWith('node:');
  if (specifier.startsWith('.')) {
    const target = posix.join(posix.dirname(source.path), specifier);
    return (
      target.startsWith(`${source.package}/`) || (isMutation(source.path) && target.startsWith('server/'))
    );
  }
  const dependency = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  if (dependency === contract && !contractEntryPoints.includes(specifier.replace(contract, '.')))
    return false;
  return allowed.includes(dependency);
}

/** Mutants of the reference gateway import its modules. They test the suite and are not shipped. */
function isMutation(path: string): boolean {
  return path.startsWith('conformance/mutants/reference/');
}

/** Programs for development, and the sources of the web page. The gateway never runs them. */
function isTool(path: string): boolean {
  const folders = ['server/llama-trial/', 'server/web/docs/', 'server/web/page/'];
  const files = ['server/contracts/compile.ts', 'server/web/build.ts'];
  return files.includes(path) || folders.some((folder) => path.startsWith(folder));
}

function listImports({ text }: Source): string[] {
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as Manifest;
}
