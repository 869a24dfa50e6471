/** npm has an option of this name, which a pipeline may set for all that it runs: alone it shows nothing. */
const ofNpm = 'yes';

/**
 * Options that were typed behind `npm run chat` without `--`: npm keeps those for itself, and hands them on as variables
 * alone. They are never obeyed, since npm has thrown away most of their values. Null where there are none, else what to
 * type.
 */
export function keptByNpm(
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
  return `npm kept ${options.join(' and ')} for itself. Put -- before everything else: npm run ${script} -- … ${options.join(' ')}`;
}

/** The scripts that are this program. */
const scripts: ReadonlySet<string> = new Set(['chat', 'complete', 'models', 'wallet', 'verify']);
