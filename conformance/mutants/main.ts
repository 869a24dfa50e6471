import { setTimeout as delay } from 'node:timers/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { figuresOf, isTrustworthy } from './figures.ts';
import { type Matrix, runMatrix, type Subject } from './matrix.ts';
import { createMatrixProgress } from './progress.ts';
import { fewRequests, openReferenceGateway } from './reference/gateway.ts';
import { portMutants } from './reference/mutants.ts';
import { renderMatrix } from './table.ts';
import { independentTarget } from './target.ts';

type Options = {
  readonly target: 'reference' | 'independent';
  readonly repeat: number;
  readonly jobs: number;
  readonly only?: string;
  readonly json?: true;
};

const program = new Command('test:mutants')
  .description(
    'Judges gateways that break the contract in one way each, and gateways that do otherwise what it leaves open.\n' +
      'Exits with 0 if each of the first is killed by exactly what it breaks, and nothing is held against the second.',
  )
  .addOption(
    new Option('--target <gateway>', 'what is changed')
      .choices(['reference', 'independent'])
      .default('reference'),
  )
  .option('--repeat <runs>', 'runs of the sound gateway, which must give one report', count, 20)
  .option('--jobs <runs>', 'runs at the same time', count, 2)
  .option('--only <prefix>', 'nothing but mutants and variants whose id starts so')
  .option('--json', 'print the matrix as JSON')
  .parse();

const { target, json, ...options } = program.opts<Options>();
await using opened = new AsyncDisposableStack();
const { onProgress, onFault, clear } = createMatrixProgress(process.stderr);
const matrix = await runMatrix(await open(), { ...options, onProgress, onFault });
clear();
process.stdout.write(json ? `${JSON.stringify(written(matrix), null, 2)}\n` : renderMatrix(matrix));
process.exitCode = isTrustworthy(matrix) ? 0 : 1;

async function open(): Promise<Subject> {
  if (target === 'independent') return { target: independentTarget(), portMutants: [] };
  const reference = opened.use(await openReferenceGateway());
  return {
    target: reference.target(),
    surroundings: {
      // Real seconds: the networks take their time.
      nodes: { target: reference.target(), options: { ...reference.nodes, sleep } },
      limits: { target: reference.target(fewRequests), options: { profiles: ['limits'], isOwnTarget: true } },
    },
    portMutants: portMutants.map((mutant) => ({ ...mutant, target: reference.target(mutant.change) })),
  };
}

function sleep(seconds: number): Promise<void> {
  return delay(seconds * 1000);
}

/** Functions are left out by JSON itself. */
function written(found: Matrix) {
  return { figures: figuresOf(found), holds: isTrustworthy(found), ...found };
}

function count(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('It must be a number from 1 to 9999.');
  return Number(text);
}
