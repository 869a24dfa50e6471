/** npm has an option of this name, and a pipeline may set it for every script. Alone it proves nothing. */
const ofNpm = 'yes';

/**
 * Finds options that were typed after `npm run chat` without `--`. npm takes such options for itself and passes
 * them on only as variables, mostly without their values, so the program rejects them. Returns null, or the
 * error message.
 */
export function findOptionsKeptByNpm(
  names: readonly string[],
  given: readonly string[],
  environment: NodeJS.ProcessEnv,
): string | null {
  const script = environment['npm_lifecycle_event'] ?? '';
  if (!scripts.has(script)) return null;
  const kept = names.filter(
    (name) =>
      environment[`npm_config_${name.replaceAll('-', '_')}`] &&
      !given.some((each) => each === `--${name}` || each.startsWith(`--${name}=`)),
  );
  if (kept.every((name) => name === ofNpm)) return null;
  const options = kept.map((name) => `--${name}`);
  return `npm took ${options.join(' and ')} for itself. Put -- before the arguments: npm run ${script} -- … ${options.join(' ')}`;
}

/** The npm scripts that start this program. */
const scripts: ReadonlySet<string> = new Set(['chat', 'complete', 'models', 'wallet', 'verify', 'proxy']);
