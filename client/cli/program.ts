import { ranges } from '@paid-inference/contract/constants';
import { EvmAddress, UintDecimalString } from '@paid-inference/contract/validators';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { proxyPortDefault } from '../proxy/limits.ts';
import { settlementTypes } from '../settlement-type.ts';
import { chat } from './chat.ts';
import { complete } from './complete.ts';
import * as help from './help.ts';
import { models } from './models.ts';
import type { CommandOutcome } from './outcome.ts';
import { amountPerHourMaxDefault, amountTotalMaxDefault, priceMaxDefault } from './purchase.ts';
import type { CommandContext, GlobalOptions } from './settings.ts';
import { verify } from './verify.ts';
import { newWallet, wallet } from './wallet.ts';

/**
 * Defines the commands and their options. Each command passes its outcome to `finish`; commander throws usage
 * errors.
 */
export function createProgram(context: CommandContext, finish: (outcome: CommandOutcome) => void): Command {
  const program = new Command('paid-inference')
    .description('Buys LLM inference by the request, paid with a signed token transfer (x402).')
    .version(packageJson.version)
    .addOption(
      new Option('--url <url>', 'URL of the gateway; a /v1 at its end is dropped')
        .env('PAID_INFERENCE_URL')
        .default('http://127.0.0.1:8402')
        .argParser(readBaseUrl),
    )
    .addOption(
      new Option('--key-file <file>', "file with the payer's private key, mode 600").env(
        'PAID_INFERENCE_KEY_FILE',
      ),
    )
    .addOption(
      new Option(
        '--rpc <url>',
        'JSON-RPC endpoint of the chain, for balances, amounts in tokens, and receipts',
      )
        .env('PAID_INFERENCE_RPC_URL')
        .argParser(readUrl),
    )
    .option('--resource-host <host>', 'another host that an offer may name (repeatable)', collect)
    .option('--json', 'one JSON object on standard output (`npm run -s`: without -s npm adds lines)')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', help.overview)
    .hook('preAction', () => leaveOutVersion(program, context));

  paying(program.command('chat').argument('<prompt>', 'message of the user'))
    .description('buy a chat completion')
    .option('--system <text>', 'system message')
    .option('--tool <file>', 'JSON file with a tool definition, or a list of them (repeatable)', collect)
    .addHelpText('after', help.chatExamples)
    .action(async (prompt: string, _, command: Command) =>
      finish(await chat(context, prompt, command.optsWithGlobals())),
    );
  paying(program.command('complete').argument('<prompt>', 'text to continue'))
    .description('buy a text completion')
    .addHelpText('after', help.completeExamples)
    .action(async (prompt: string, _, command: Command) =>
      finish(await complete(context, prompt, command.optsWithGlobals())),
    );
  program
    .command('models')
    .description('list the models, with prices in the smallest unit of the token')
    .action(async (_, command: Command) => finish(await models(context, command.optsWithGlobals())));
  addProxy(program, context, finish);
  verifying(program.command('verify').argument('<file>', 'file that chat or complete wrote with --save'))
    .description('verify proof and payment of a purchase, step by step')
    .addHelpText('after', help.verifyExamples)
    .action(async (file: string, _, command: Command) =>
      finish(await verify(context, file, command.optsWithGlobals())),
    );
  program
    .command('wallet')
    .description("show the payer's address and balance")
    .addHelpText('after', help.walletExamples)
    .action(async (_, command: Command) => finish(await wallet(context, command.optsWithGlobals())))
    .command('new')
    .argument('<file>', 'path of the new key file; must not exist')
    .description('make a key in a file that only you can read')
    .action((file: string) => finish(newWallet(file)));
  return program;
}

/** OpenAI clients take the URL with `/v1`. The paths of the contract begin with `/v1` already. */
function leaveOutVersion(program: Command, { terminal }: CommandContext): void {
  const { url } = program.opts<GlobalOptions>();
  const base = url.replace(/\/v1\/*$/, '');
  if (base === url) return;
  program.setOptionValue('url', base);
  terminal.say(`The gateway's URL is ${base}: each command adds /v1 itself`);
}

function paying(command: Command): Command {
  return command
    .option('--model <id>', 'model to use; by default the first of the catalog')
    .option('--max-tokens <count>', 'maximum number of tokens to generate', readTokens)
    .option('--temperature <number>', 'sampling temperature; 0 is reproducible', readTemperature)
    .addOption(
      new Option('--settlement-type <type>', 'how much of the inference the proof ledger records').choices(
        settlementTypes,
      ),
    )
    .option(
      '--max-price <units>',
      `price limit in the token's smallest unit; by default ${priceMaxDefault} (see --yes)`,
      readUnits,
    )
    .option('--token <address>', 'the only token to pay in; by default that of the offer', readAddress)
    .option('--pay-to <address>', 'the only recipient to pay; by default that of the offer', readAddress)
    .option('--yes', `pay more than ${priceMaxDefault} units without a question`)
    .option('--save <file>', 'write request and response into a new file (mode 600), for verify');
}

function addProxy(
  program: Command,
  context: CommandContext,
  finish: (outcome: CommandOutcome) => void,
): void {
  program
    .command('proxy')
    .argument('[command...]', 'behind --: a command that uses the proxy')
    .description("serve OpenAI's API on this machine, for tools that cannot pay")
    .addHelpText('after', help.proxyExamples)
    .action(async (words: readonly string[], _, command: Command) => {
      // Loaded here, because the journal of the proxy needs a newer Node than the other commands.
      const { proxy } = await import('./proxy.ts');
      finish(await proxy(context, words, command.optsWithGlobals()));
    })
    .option('--upstream <url>', 'URL of the gateway; by default that of --url', readBaseUrl)
    .option('--port <number>', 'port on 127.0.0.1; 0 takes a free one', readPort, proxyPortDefault)
    .option('--journal <file>', 'file where payments are kept; by default that of the key and .journal')
    .option(
      '--access-token-file <file>',
      'file with the access token of tools, made if it does not exist; by default a new token',
    )
    .option(
      '--max-price <units>',
      `price limit of one request in the token's smallest unit; by default ${priceMaxDefault}`,
      readUnits,
    )
    .option('--max-per-hour <units>', `limit of an hour; by default ${amountPerHourMaxDefault}`, readUnits)
    .option(
      '--max-total <units>',
      `limit of all payments in the journal; by default ${amountTotalMaxDefault}`,
      readUnits,
    )
    .option('--max-tokens <count>', 'maximum of tokens for requests that name none', readTokens)
    .addOption(
      new Option('--settlement-type <type>', 'how much the proof ledger records').choices(settlementTypes),
    )
    .option('--token <address>', 'the only token to pay in; by default that of the offer', readAddress)
    .option('--pay-to <address>', 'the only recipient to pay; by default that of the offer', readAddress)
    .option('--log-file <file>', 'file for the lines of the proxy; by default standard error');
}

function verifying(command: Command): Command {
  return command
    .addOption(
      new Option('--ledger-rpc <url>', "JSON-RPC endpoint of the proof ledger's chain")
        .env('PAID_INFERENCE_LEDGER_RPC_URL')
        .argParser(readUrl),
    )
    .addOption(
      new Option(
        '--chain-rpc <url>',
        'JSON-RPC endpoint of the payment chain; by default that of --rpc',
      ).argParser(readUrl),
    )
    .addOption(
      new Option(
        '--gateway <url>',
        'gateway to ask for attestation and proof record; by default the one that sold',
      ).argParser(readBaseUrl),
    )
    .option(
      '--ledger <address>',
      'the proof ledger that you trust; by default the one that the proof names',
      readAddress,
    )
    .option(
      '--token <address>',
      'the token that you paid in; by default the one that you signed for',
      readAddress,
    )
    .option(
      '--wait <seconds>',
      'how long to wait for a key or a proof that the proof ledger lacks',
      readSeconds,
    )
    .option('--fresh', 'also ask the gateway for fresh evidence over a new nonce')
    .option('--require-hardware', 'accept only a trusted execution environment')
    .option(
      '--measurement <name=value>',
      'measurement that the evidence must have (repeatable)',
      collectPairs,
    )
    .option(
      '--collateral <file>',
      "JSON with Intel's collateral for a TDX quote; by default fetched from Intel",
    )
    .option('--jwks <file>', 'JSON with the keys of Confidential Space; by default fetched from its service')
    .option('--keep', "also write the gateway's verified statements into the file");
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
  // The message of an invalid argument would repeat the password.
  if (url !== null && url.username + url.password !== '')
    throw new CommanderError(1, 'paid-inference.url', 'The URL must have no user and no password.');
  if (url !== null && /^https?:$/.test(url.protocol)) return text;
  throw new InvalidArgumentError('It must be an http or https URL.');
}

/** The URL of a gateway: the paths of the API follow it. */
function readBaseUrl(text: string): string {
  const url = readUrl(text);
  if (URL.parse(url)?.search === '') return url;
  throw new InvalidArgumentError('It must be the URL of a gateway, without a query.');
}

function readUnits(text: string): bigint {
  if (!UintDecimalString(text))
    throw new InvalidArgumentError("It must be a whole number of the token's smallest unit.");
  return BigInt(text);
}

function readPort(text: string): number {
  const port = /^[0-9]{1,5}$/.test(text) ? Number.parseInt(text, 10) : Number.NaN;
  if (port <= portMax) return port;
  throw new InvalidArgumentError(`It must be a whole number from 0 to ${portMax}.`);
}

const portMax = 65_535;

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
