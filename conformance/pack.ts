import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/**
 * Packs this package for other machines. Node strips types of sources, but not of what is installed, so a package of sources
 * would not run: here they become JavaScript with declarations, beside the contract package, which is packed within.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({ options: { into: { type: 'string', default: join(root, 'dist') } } });
const into = resolve(values.into);
const built = join(into, 'built');
const packed = join(into, 'package');
const contract = join(packed, 'node_modules/@paid-inference/contract');

rmSync(built, { recursive: true, force: true });
rmSync(packed, { recursive: true, force: true });
mkdirSync(into, { recursive: true });
const compiler = join(root, 'node_modules/typescript/bin/tsc');
run(process.execPath, [compiler, '-p', join(root, '.config/tsconfig.pack.json'), '--outDir', built], root);

renameSync(join(built, 'conformance'), packed);
mkdirSync(dirname(contract), { recursive: true });
renameSync(join(built, 'generated'), contract);
rmSync(built, { recursive: true });
for (const name of ['validators.js', 'validators.d.ts']) {
  cpSync(join(root, 'generated', name), join(contract, name));
}
cpSync(join(root, 'conformance/report/report.schema.json'), join(packed, 'report/report.schema.json'));
cpSync(join(root, 'conformance/COVERAGE.md'), join(packed, 'COVERAGE.md'));
writeFileSync(
  join(packed, 'README.md'),
  withoutDeadLinks(readFileSync(join(root, 'conformance/README.md'), 'utf8')),
);
for (const folder of [packed, contract]) cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));

const { devDependencies: _, scripts: __, ...manifest } = read(join(root, 'conformance/package.json'));
write(packed, {
  ...manifest,
  ...compiledEntryPoints(packed, manifest),
  engines: read(join(root, 'package.json'))['engines'],
  bundleDependencies: ['@paid-inference/contract'],
});
const contractManifest = read(join(root, 'generated/package.json'));
write(contract, { ...contractManifest, ...compiledEntryPoints(contract, contractManifest) });

run('npm', ['pack', '--silent', '--pack-destination', into], packed);

/** What is in the repository only is named, and not linked to. */
function withoutDeadLinks(text: string): string {
  return text.replace(/\[([^\]\n]+)\]\(([^)#:\s]+)\)/g, (link: string, name: string, path: string) =>
    existsSync(join(packed, path)) ? link : name,
  );
}

/** The doors that were compiled, by their compiled names; a door that nothing here opens is left out. */
function compiledEntryPoints(folder: string, { exports, bin }: Record<string, unknown>): object {
  const entryPoints = Object.entries(exports ?? {}).flatMap(([entryPoint, target]: [string, unknown]) => {
    const place = typeof target === 'string' ? target.replace(/(?<!\.d)\.ts$/, '.js') : target;
    if (typeof place !== 'string') return [[entryPoint, place]];
    if (!existsSync(join(folder, place))) return [];
    return [
      [
        entryPoint,
        place.endsWith('.js') ? { types: place.replace(/\.js$/, '.d.ts'), default: place } : place,
      ],
    ];
  });
  const bins = Object.entries(bin ?? {}).map(([name, place]) => [
    name,
    String(place).replace(/\.ts$/, '.js'),
  ]);
  return {
    exports: Object.fromEntries(entryPoints),
    ...(bin !== undefined && { bin: Object.fromEntries(bins) }),
  };
}

function run(program: string, args: readonly string[], cwd: string): void {
  execFileSync(program, args, { cwd, stdio: 'inherit' });
}

function read(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function write(folder: string, manifest: object): void {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
