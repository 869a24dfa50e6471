import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import solc from 'solc';
import { z } from 'zod';

/**
 * The compiler settings of every contract. Cancun, because OpenZeppelin 5.7 uses its opcodes and every chain of
 * ours has them. No metadata hash, so that a changed comment leaves the bytecode unchanged.
 */
const settings = {
  evmVersion: 'cancun',
  optimizer: { enabled: true, runs: 200 },
  metadata: { bytecodeHash: 'none' },
} as const;

/** Folders with sources: for the gateway, and for tests. Each folder has its own artifacts. */
export const contractFolders = [
  import.meta.dirname,
  join(import.meta.dirname, '..', 'testing', 'contracts'),
] as const;

/**
 * Compiles every Solidity source of a folder and returns the text of each artifact by its file name. A source
 * `Name.sol` must hold the contract `Name`. Warnings in our own sources are errors. The output is the same on
 * every machine, because source units are named by import path.
 */
export function compileContracts(folder: string): ReadonlyMap<string, string> {
  const sourceNames = readdirSync(folder).filter((name) => name.endsWith('.sol'));
  const compiled = compile(folder, sourceNames.toSorted());
  return new Map(
    sourceNames.map((sourceName) => {
      const contractName = basename(sourceName, '.sol');
      const contract = compiled.contracts[sourceName]?.[contractName];
      if (contract === undefined) throw new Error(`${sourceName} holds no contract ${contractName}`);
      const artifact = {
        contractName,
        abi: contract.abi,
        bytecode: `0x${contract.evm.bytecode.object}`,
        compiler: `solc ${solc.version()}`,
        settings,
      };
      return [`${contractName}.json`, `${JSON.stringify(artifact, null, 2)}\n`];
    }),
  );
}

const compilerOutput = z.object({
  errors: z
    .array(
      z.object({
        severity: z.enum(['error', 'warning', 'info']),
        formattedMessage: z.string(),
        sourceLocation: z.object({ file: z.string() }).optional(),
      }),
    )
    .default([]),
  contracts: z
    .record(
      z.string(),
      z.record(
        z.string(),
        z.object({
          abi: z.array(z.unknown()),
          evm: z.object({ bytecode: z.object({ object: z.string().regex(/^[0-9a-f]*$/) }) }),
        }),
      ),
    )
    .default({}),
});

function compile(folder: string, sourceNames: readonly string[]) {
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(
      sourceNames.map((name) => [name, { content: readFileSync(join(folder, name), 'utf8') }]),
    ),
    settings: { ...settings, outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
  };
  const output = compilerOutput.parse(
    JSON.parse(solc.compile(JSON.stringify(input), { import: readImport })),
  );
  const faults = output.errors.filter(
    ({ severity, sourceLocation }) =>
      severity === 'error' || (severity === 'warning' && sourceNames.includes(sourceLocation?.file ?? '')),
  );
  if (faults.length > 0) throw new Error(faults.map((fault) => fault.formattedMessage).join('\n'));
  return output;
}

const require = createRequire(import.meta.url);

/** Resolves an import for the compiler. The result has the compiler's own form, also for a fault. */
function readImport(path: string): { contents: string } | { error: string } {
  try {
    return { contents: readFileSync(require.resolve(path), 'utf8') };
  } catch {
    return { error: `not installed: ${path}` };
  }
}

if (import.meta.main) {
  for (const folder of contractFolders) {
    mkdirSync(join(folder, 'artifacts'), { recursive: true });
    for (const [name, text] of compileContracts(folder)) {
      writeFileSync(join(folder, 'artifacts', name), text);
      console.log(`wrote ${name}`);
    }
  }
}
