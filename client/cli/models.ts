import type { CatalogModel } from '@paid-inference/contract/types';
import { createClient } from '../client.ts';
import { noSigner } from '../no-signer.ts';
import { type CommandOutcome, exitCodes } from './outcome.ts';
import { reportFault } from './report.ts';
import type { CommandContext, GlobalOptions } from './settings.ts';
import { visible } from './visible.ts';

/** `models`: lists models and prices. Pays nothing and needs no key. */
export async function models({ signal }: CommandContext, { url }: GlobalOptions): Promise<CommandOutcome> {
  const client = createClient({ baseUrl: url, ...noSigner });
  const result = await client.models({ signal });
  if (result.kind !== 'models') return reportFault(result, url);
  return { exitCode: exitCodes.done, json: result, text: visible(table(result.models)) };
}

/** The prices are in the token's smallest unit. */
function table(listed: readonly CatalogModel[]): string {
  const head = ['model', 'context', 'output', 'in / 1M', 'out / 1M', 'minimum'];
  const rows = listed.map(({ id, context_length, max_output_tokens, pricing }) =>
    [
      id,
      context_length,
      max_output_tokens,
      pricing.input_per_million,
      pricing.output_per_million,
      pricing.minimum,
    ].map(String),
  );
  const widths = head.map((title, column) =>
    Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0), title.length),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ');
  return [head, ...rows].map(line).join('\n');
}
