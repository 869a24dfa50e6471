import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/**
 * Packs the four packages as tarballs for other machines. Node strips no types in node_modules, so the sources
 * become JavaScript with declarations and source maps. Each tarball contains the contract package.
 */
type Manifest = Readonly<Record<string, unknown>>;

type Package = {
  readonly folder: string;
  readonly readme: string;
  /** Files and folders without an import. */
  readonly files: readonly string[];
  readonly nodeMin: number;
};

const packages: readonly Package[] = [
  {
    folder: 'generated',
    readme: 'spec/PACKAGE.md',
    files: [
      'openapi.json',
      'openapi.3.0.json',
      'vectors.json',
      'IInferenceLedger.sol',
      'validators.js',
      'validators.d.ts',
    ],
    nodeMin: 22,
  },
  { folder: 'client', readme: 'client/README.md', files: ['OTHER-LANGUAGES.md', 'PROXY.md'], nodeMin: 22 },
  {
    folder: 'conformance',
    readme: 'conformance/README.md',
    files: ['CLIENTS.md', 'COVERAGE.md', 'clients/report.schema.json', 'report/report.schema.json'],
    nodeMin: 22,
  },
  {
    folder: 'server',
    readme: 'server/README.md',
    files: [
      'SETTINGS.md',
      'MONITORING.md',
      'RELIABILITY.md',
      'catalog.json',
      'contracts/multicall3.signedtx',
      'deploy/gateway.env.example',
      'deploy/nginx.conf',
      'deploy/paid-inference-doctor.service',
      'deploy/paid-inference-gateway.service',
      'store/postgres/functions',
      'store/postgres/migrations',
      'store/sqlite/migrations',
      'telemetry/alerts.yaml',
      'telemetry/dashboard.json',
      'web/built',
    ],
    nodeMin: 24,
  },
];

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: {
    into: { type: 'string', default: join(root, 'dist') },
    /** Leaves out the type check, which takes half of the time, where another step checks the types. */
    unchecked: { type: 'boolean', default: false },
  },
});
const into = resolve(values.into);
const built = join(into, 'built');
const contract = join(into, 'generated');

rmSync(built, { recursive: true, force: true });
mkdirSync(into, { recursive: true });
const compiler = join(root, 'node_modules/typescript/bin/tsc');
const project = ['-p', join(root, '.config/tsconfig.pack.json'), '--outDir', built];
run(process.execPath, [compiler, ...project, ...(values.unchecked ? ['--noCheck'] : [])], root);
for (const each of packages) pack(each);
rmSync(built, { recursive: true });

function pack({ folder, readme, files, nodeMin }: Package): void {
  const packed = join(into, folder);
  rmSync(packed, { recursive: true, force: true });
  renameSync(join(built, folder), packed);
  for (const file of files) cpSync(join(root, folder, file), join(packed, file), { recursive: true });
  cpSync(join(root, 'LICENSE'), join(packed, 'LICENSE'));
  writeFileSync(
    join(packed, 'README.md'),
    withoutDeadLinks(readFileSync(join(root, readme), 'utf8'), packed),
  );
  const { devDependencies: _, scripts: __, ...manifest } = read(join(root, folder, 'package.json'));
  const isContract = folder === 'generated';
  if (!isContract) {
    const within = join(packed, 'node_modules/@paid-inference/contract');
    mkdirSync(dirname(within), { recursive: true });
    cpSync(contract, within, { recursive: true });
  }
  write(packed, {
    ...manifest,
    ...compiledEntryPoints(packed, manifest),
    engines: { node: `>=${nodeMin}` },
    ...(!isContract && { bundleDependencies: ['@paid-inference/contract'] }),
  });
  run('npm', ['pack', '--silent', '--pack-destination', into], packed);
}

/** Replaces links to files that the tarball lacks by their names. */
function withoutDeadLinks(text: string, packed: string): string {
  return text.replace(
    /\[([^\]\n]+)\]\(([^)#:\s]+)(#[^)\s]*)?\)/g,
    (link: string, name: string, path: string) => (existsSync(join(packed, path)) ? link : name),
  );
}

/** The entry points with their compiled names and their types, and the compiled names of internal imports. */
function compiledEntryPoints(folder: string, { exports, imports, bin }: Manifest): Manifest {
  const entryPoints = Object.entries(exports ?? {}).map(([entryPoint, target]: [string, unknown]) => {
    const place = typeof target === 'string' ? target.replace(/(?<!\.d)\.ts$/, '.js') : target;
    if (typeof place !== 'string') return [entryPoint, place];
    if (!existsSync(join(folder, place))) throw new Error(`The entry point ${place} is missing in ${folder}`);
    const types = place.replace(/\.js$/, '.d.ts');
    return [entryPoint, place.endsWith('.js') ? { types, default: place } : place];
  });
  const bins = Object.entries(bin ?? {}).map(([name, place]) => [
    name,
    String(place).replace(/^\.\//, '').replace(/\.ts$/, '.js'),
  ]);
  return {
    exports: Object.fromEntries(entryPoints),
    ...(imports !== undefined && { imports: compiledNames(imports) }),
    ...(bin !== undefined && { bin: Object.fromEntries(bins) }),
  };
}

function compiledNames(imports: unknown): unknown {
  if (typeof imports === 'string') return imports.replace(/\.ts$/, '.js');
  return Object.fromEntries(Object.entries(Object(imports)).map(([key, each]) => [key, compiledNames(each)]));
}

function run(program: string, parameters: readonly string[], cwd: string): void {
  execFileSync(program, parameters, { cwd, stdio: 'inherit' });
}

function read(path: string): Manifest {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function write(folder: string, manifest: Manifest): void {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
