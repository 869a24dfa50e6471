import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import solc from 'solc';
import { banner, literal } from '../emitter/source.ts';

const contractName = 'IInferenceLedger';
const source = fileURLToPath(new URL(`../contract/${contractName}.sol`, import.meta.url));

/**
 * Writes the interface of the proof ledger as Solidity, for the server's contract, and as an ABI, for the calls
 * of server, client and conformance suite.
 */
export async function writeLedger(folder: string): Promise<void> {
  const solidity = await readFile(source, 'utf8');
  const abi = compile(solidity);
  await writeFile(join(folder, `${contractName}.sol`), solidity);
  await writeFile(
    join(folder, 'ledger.ts'),
    `${banner}
/** The ABI of the proof ledger. */
export const inferenceLedgerAbi = ${literal(abi)} as const;
`,
  );
}

type Output = {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts?: Readonly<
    Record<string, Readonly<Record<string, { readonly abi: readonly unknown[] }>>>
  >;
};

function compile(content: string): readonly unknown[] {
  const input = {
    language: 'Solidity',
    sources: { [contractName]: { content } },
    settings: { outputSelection: { '*': { '*': ['abi'] } } },
  };
  const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(input))) as Output;
  const abi = contracts?.[contractName]?.[contractName]?.abi;
  if (errors.length > 0 || abi === undefined)
    throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'));
  return abi;
}
