import { ranges } from '@paid-inference/contract/constants';
import { EvmAddress, UintDecimalString } from '@paid-inference/contract/validators';
import { Command, InvalidArgumentError, Option } from 'commander';
import { settlementTypes } from '../settlement-type.ts';
import { chat } from './chat.ts';
import { complete } from './complete.ts';
import * as help from './help.ts';
import { models } from './models.ts';
import type { CommandOutcome } from './outcome.ts';
import { priceMaxDefault } from './purchase.ts';
import type { CommandContext, GlobalOptions } from './settings.ts';
import { verify } from './verify.ts';
import { newWallet, wallet } from './wallet.ts';

/** The commands and what they take. Each hands its outcome to `finish`; faults of usage are thrown by commander. */
export function createProgram(context: CommandContext, finish: (outcome: CommandOutcome) => void): Command {
  const program = new Command('paid-inference')
    .description('Buys LLM inference by the request, paid with a signed token transfer (x402).')
    .addOption(
      new Option('--url <url>', 'where the gateway is; a /v1 at its end is left out')
        .env('PAID_INFERENCE_URL')
        .default('http://127.0.0.1:8402')
        .argParser(readUrl),
    )
    .addOption(
      new Option('--key-file <file>', "file with the payer's private key, mode 600").env(
        'PAID_INFERENCE_KEY_FILE',
      ),
    )
    .addOption(
      new Option('--rpc <url>', 'JSON-RPC endpoint of the chain, for balances and amounts in tokens')
        .env('PAID_INFERENCE_RPC_URL')
        .argParser(readUrl),
    )
    .option('--resource-host <host>', 'further host that an offer may be for (repeatable)', collect)
    .option(
      '--json',
      'one JSON object on standard output, and nothing else (`npm run -s`: without -s npm adds lines)',
    )
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', help.overview)
    .hook('preAction', () => leaveOutVersion(program, context));

  paying(program.command('chat').argument('<prompt>', 'what the user says'))
    .description('buy a chat completion')
    .option('--system <text>', 'what the model is told beforehand')
    .option('--tool <file>', 'JSON file with a tool definition, or a list of them (repeatable)', collect)
    .addHelpText('after', help.chatExamples)
    .action(async (prompt: string, _, command: Command) =>
      finish(await chat(context, prompt, command.optsWithGlobals())),
    );
  paying(program.command('complete').argument('<prompt>', 'the text to go on from'))
    .description('buy a text completion')
    .addHelpText('after', help.completeExamples)
    .action(async (prompt: string, _, command: Command) =>
      finish(await complete(context, prompt, command.optsWithGlobals())),
    );
  program
    .command('models')
    .description('list what can be bought, with prices in the smallest unit of the token')
    .action(async (_, command: Command) => finish(await models(context, command.optsWithGlobals())));
  verifying(program.command('verify').argument('<file>', 'what chat or complete wrote with --save'))
    .description('check what ran and what was paid, step by step')
    .addHelpText('after', help.verifyExamples)
    .action(async (file: string, _, command: Command) =>
      finish(await verify(context, file, command.optsWithGlobals())),
    );
  program
    .command('wallet')
    .description("the payer's address and balance")
    .addHelpText('after', help.walletExamples)
    .action(async (_, command: Command) => finish(await wallet(context, command.optsWithGlobals())))
    .command('new')
    .argument('<file>', 'where to write it; must not exist')
    .description('make a key, in a file that only you can read')
    .action((file: string) => finish(newWallet(file)));
  return program;
}

/** OpenAI clients are given the URL with `/v1`; here the contract's paths have it already. */
function leaveOutVersion(program: Command, { terminal }: CommandContext): void {
  const { url } = program.opts<GlobalOptions>();
  const base = url.replace(/\/v1\/*$/, '');
  if (base === url) return;
  program.setOptionValue('url', base);
  terminal.say(`the gateway's URL is taken as ${base}: /v1 is added by each command`);
}

function paying(command: Command): Command {
  return command
    .option('--model <id>', "which model answers; the catalog's first when left out")
    .option('--max-tokens <count>', 'most tokens to generate', readTokens)
    .option('--temperature <number>', 'sampling temperature; 0 is reproducible', readTemperature)
    .addOption(
      new Option('--settlement-type <type>', 'what of the inference is recorded on the ledger').choices(
        settlementTypes,
      ),
    )
    .option(
      '--max-price <units>',
      `most to pay, in the token's smallest unit, never exceeded (without it ${priceMaxDefault}, see --yes)`,
      readUnits,
    )
    .option('--yes', `pay more than ${priceMaxDefault} of that unit without a question`)
    .option('--save <file>', 'write request and answer into a new file (mode 600), for verify');
}

function verifying(command: Command): Command {
  return command
    .addOption(
      new Option('--ledger-rpc <url>', 'JSON-RPC endpoint of the ledger network')
        .env('PAID_INFERENCE_LEDGER_RPC_URL')
        .argParser(readUrl),
    )
    .addOption(
      new Option(
        '--chain-rpc <url>',
        "JSON-RPC endpoint of the payments' chain; --rpc when left out",
      ).argParser(readUrl),
    )
    .addOption(
      new Option(
        '--gateway <url>',
        'who is asked for attestation and record; where the exchange was sent to',
      ).argParser(readUrl),
    )
    .option(
      '--ledger <address>',
      'the ledger contract that you trust; else the one that the proof names',
      readAddress,
    )
    .option(
      '--token <address>',
      'the token that you paid in; else any that the payer signed for',
      readAddress,
    )
    .option(
      '--wait <seconds>',
      'how long to wait for a key or a proof that is not on the ledger yet',
      readSeconds,
    )
    .option('--fresh', 'also ask the gateway for evidence of this moment, for a nonce of ours')
    .option('--require-hardware', 'take nothing but a trusted execution environment')
    .option('--measurement <name=value>', 'what the evidence must have measured (repeatable)', collectPairs)
    .option('--collateral <file>', "JSON with Intel's collateral for a TDX quote; else it is fetched")
    .option('--jwks <file>', 'JSON with the keys of Confidential Space; else they are fetched')
    .option('--keep', 'write what the gateway said, and stood, into the file too');
}

function collectPairs(
  text: string,
  before: readonly (readonly [string, string])[] = [],
): readonly (readonly [string, string])[] {
  const [, name, value] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('It must be name=value.');
  return [...before, [name, value]];
}

function readAddress(text: string): string {
  if (EvmAddress(text)) return text;
  throw new InvalidArgumentError('It must be an address.');
}

function readSeconds(text: string): number {
  if (/^[0-9]{1,6}$/.test(text)) return Number.parseInt(text, 10);
  throw new InvalidArgumentError('It must be a whole number of seconds.');
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function readUrl(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '') return text;
  throw new InvalidArgumentError('It must be an http or https URL.');
}

function readUnits(text: string): bigint {
  if (!UintDecimalString(text))
    throw new InvalidArgumentError("It must be a whole number of the token's smallest unit.");
  return BigInt(text);
}

function readTokens(text: string): number {
  const count = /^[0-9]{1,9}$/.test(text) ? Number.parseInt(text, 10) : Number.NaN;
  const { minimum } = ranges.ChatCompletionRequest.max_tokens;
  if (count >= minimum) return count;
  throw new InvalidArgumentError(`It must be a whole number, at least ${minimum}.`);
}

function readTemperature(text: string): number {
  const temperature = /^[0-9]+(\.[0-9]+)?$/.test(text) ? Number.parseFloat(text) : Number.NaN;
  const { minimum, maximum } = ranges.ChatCompletionRequest.temperature;
  if (temperature >= minimum && temperature <= maximum) return temperature;
  throw new InvalidArgumentError(`It must be a number from ${minimum} to ${maximum}.`);
}
