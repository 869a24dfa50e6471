import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError, Option } from 'commander';
import { computeFigures, isTrustworthy } from './figures.ts';
import { type Matrix, type MatrixOptions, runMatrix, type Subject } from './matrix.ts';
import { runInParts } from './parts.ts';
import { createMatrixProgress } from './progress.ts';
import { fewRequests, openReferenceGateway } from './reference/gateway.ts';
import { portMutants } from './reference/mutants.ts';
import { renderMatrix } from './table.ts';
import { independentTarget } from './target.ts';

type Options = {
  readonly target: 'reference' | 'independent';
  readonly repeat: number;
  readonly jobs: number;
  readonly processes: number;
  readonly part?: NonNullable<MatrixOptions['part']>;
  readonly only?: string;
  readonly json?: true;
};

const program = new Command('test:mutants')
  .description(
    'Runs the suite against mutants, which break the contract in one way each, and against legal variants, which do not.\n' +
      'Exits with 0 if every mutant fails exactly the requirements that it breaks, and no legal variant fails any.',
  )
  .addOption(
    new Option('--target <gateway>', 'the gateway to change')
      .choices(['reference', 'independent'])
      .default('reference'),
  )
  .option('--repeat <runs>', 'runs of the sound gateway, which must give identical reports', count, 20)
  .option('--jobs <runs>', 'runs at the same time', count, 2)
  .option('--processes <count>', 'processes that share the runs', count, Math.min(2, availableParallelism()))
  .addOption(
    new Option('--part <index/count>', 'the share of one of these processes').argParser(part).hideHelp(),
  )
  .option('--only <prefix>', 'run only mutants and variants whose id starts with this')
  .option('--json', 'print the matrix as JSON')
  .parse();

const { target, json, processes, ...options } = program.opts<Options>();
await using opened = new AsyncDisposableStack();
const matrix = processes === 1 || options.part !== undefined ? await runHere() : await runShared();
process.stdout.write(json ? `${JSON.stringify(written(matrix), null, 2)}\n` : renderMatrix(matrix));
process.exitCode = isTrustworthy(matrix) ? 0 : 1;

async function runHere(): Promise<Matrix> {
  const { onProgress, onFault, clear } = createMatrixProgress(process.stderr);
  const found = await runMatrix(await open(), { ...options, onProgress, onFault });
  clear();
  return found;
}

function runShared(): Promise<Matrix> {
  const { repeat, jobs, only } = options;
  const each = ['--target', target, '--repeat', `${Math.ceil(repeat / processes)}`, '--jobs', `${jobs}`];
  const chosen = only === undefined ? [] : ['--only', only];
  return runInParts(fileURLToPath(import.meta.url), [...each, ...chosen], processes);
}

async function open(): Promise<Subject> {
  if (target === 'independent') return { target: independentTarget(), portMutants: [] };
  const reference = opened.use(await openReferenceGateway());
  return {
    target: reference.target(),
    surroundings: {
      // Waits for real seconds, because both networks need time.
      nodes: { target: reference.target(), options: { ...reference.nodes, sleep } },
      limits: { target: reference.target(fewRequests), options: { profiles: ['limits'], isOwnTarget: true } },
    },
    portMutants: portMutants.map((mutant) => ({ ...mutant, target: reference.target(mutant.change) })),
  };
}

function sleep(seconds: number): Promise<void> {
  return delay(seconds * 1000);
}

/** The JSON report. `JSON.stringify` omits the functions. */
function written(found: Matrix) {
  return { figures: computeFigures(found), holds: isTrustworthy(found), ...found };
}

function count(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('Use a number from 1 to 9999.');
  return Number(text);
}

function part(text: string): NonNullable<MatrixOptions['part']> {
  const [index = 0, of = 1] = text.split('/').map(Number);
  return { index, of };
}
