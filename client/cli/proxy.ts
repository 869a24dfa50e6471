import { appendFileSync, existsSync } from 'node:fs';
import { openJournal } from '../payment/file-journal.ts';
import type { SpendingRules } from '../payment/rules.ts';
import { type PayingProxy, startProxy } from '../proxy/proxy.ts';
import { readAccessToken } from './access-token.ts';
import { runCommand } from './child-command.ts';
import { readKey } from './key.ts';
import { type CommandOutcome, exitCodes, usageFault } from './outcome.ts';
import { amountPerHourMaxDefault, amountTotalMaxDefault, priceMaxDefault } from './purchase.ts';
import type { CommandContext, ProxyCommandOptions } from './settings.ts';
import { visibleLine } from './visible.ts';

/** `proxy`: serves OpenAI's API on this machine until Ctrl-C, or while a command runs. */
export async function proxy(
  context: CommandContext,
  command: readonly string[],
  options: ProxyCommandOptions,
): Promise<CommandOutcome> {
  const { environment, terminal } = context;
  const key = readKey(options.keyFile, environment);
  if (!key.ok) return usageFault(key.message);
  const access = readAccessToken(options.accessTokenFile, environment);
  if (!access.ok) return usageFault(access.message);
  if (options.journal === undefined && !existsSync(key.from))
    return usageFault('A key without a file needs --journal <file>');
  const journalFile = options.journal ?? `${key.from}.journal`;
  const rules: SpendingRules = {
    amountPerRequestMax: options.maxPrice ?? priceMaxDefault,
    amountPerHourMax: options.maxPerHour ?? amountPerHourMaxDefault,
    amountTotalMax: options.maxTotal ?? amountTotalMaxDefault,
    resourceHosts: options.resourceHost ?? [],
    ...(options.token !== undefined && { assets: [options.token] }),
    ...(options.payTo !== undefined && { payTo: [options.payTo] }),
  };
  const { logFile } = options;
  const say = (line: string) => {
    const shown = `paid-inference proxy: ${visibleLine(line)}`;
    if (logFile === undefined) return terminal.say(shown);
    try {
      appendFileSync(logFile, `${shown}\n`, { mode: 0o600 });
    } catch {
      // A line about a payment must not fail the payment.
      terminal.say(shown);
    }
  };
  const upstream = (options.upstream ?? options.url).replace(/\/(?:v1\/*)?$/, '');
  let started: PayingProxy;
  try {
    started = await startProxy({
      upstream,
      accessToken: access.token,
      signer: key.wallet,
      rules,
      journal: openJournal(journalFile),
      port: options.port,
      say,
      defaults: {
        ...(options.maxTokens !== undefined && { maxTokens: options.maxTokens }),
        ...(options.settlementType !== undefined && { settlementType: options.settlementType }),
      },
    });
  } catch (error) {
    return usageFault(describeStart(error, options.port));
  }
  const { url, spending } = started;
  say(`pays ${upstream} from ${key.wallet.address}, with the journal ${journalFile}`);
  say(
    `at most ${rules.amountPerRequestMax} units for a request, ${rules.amountPerHourMax} in an hour, ${rules.amountTotalMax} in total; ${spending.summary().total} are signed`,
  );
  const exitCode =
    command.length === 0
      ? await serveUntilStopped(context, url, access, say)
      : await runCommand(command, toolEnvironment(environment, url, access.token));
  await started.close();
  const { purchases, units, total } = spending.summary();
  say(
    `${purchases} ${purchases === 1 ? 'purchase' : 'purchases'}, ${units} units; ${total} of ${rules.amountTotalMax} in total`,
  );
  if (typeof exitCode === 'string') return usageFault(exitCode);
  const json = { kind: 'proxy', purchases, units: String(units), total: String(total) };
  return { exitCode, json };
}

/** Waits for Ctrl-C or SIGTERM. */
async function serveUntilStopped(
  { signal, terminal }: CommandContext,
  url: string,
  access: { readonly token: string; readonly from: string | null },
  say: (line: string) => void,
): Promise<number> {
  say(`serves ${url} to tools with the access token as API key`);
  // The token never goes to a log file.
  terminal.say(
    access.from === null ? `access token: ${access.token}` : `access token: that of ${access.from}`,
  );
  const stopped = Promise.withResolvers<void>();
  const stop = () => stopped.resolve();
  process.once('SIGTERM', stop);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  await stopped.promise;
  process.off('SIGTERM', stop);
  return exitCodes.done;
}

/** The variables that tools of OpenAI's API read. The tool never gets the payer's key. */
function toolEnvironment(
  { PAID_INFERENCE_KEY: _, ...environment }: NodeJS.ProcessEnv,
  url: string,
  accessToken: string,
): NodeJS.ProcessEnv {
  return { ...environment, OPENAI_BASE_URL: url, OPENAI_API_BASE: url, OPENAI_API_KEY: accessToken };
}

function describeStart(error: unknown, port: number): string {
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
    return `Port ${port} is in use. Name another one with --port`;
  return error instanceof Error ? error.message : String(error);
}
