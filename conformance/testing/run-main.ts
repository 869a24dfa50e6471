import pc from 'picocolors';
import { main, reportFault } from '../cli/main.ts';
import type { Ended } from './run-cli.ts';

/**
 * Runs the command in this process, like `cli.ts`, in a folder and with only the given environment. A separate
 * process takes half a second to start. `runCli` starts one, for tests of what only a process has: its exit code,
 * its signals and its streams.
 */
export async function runMain(
  folder: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)];
  const earlierFolder = process.cwd();
  const colours = { ...pc };
  // A process whose output is no terminal prints no colours.
  Object.assign(pc, pc.createColors(false));
  process.chdir(folder);
  try {
    const code = await main([process.execPath, 'cli.ts', ...args], { ...environment }).catch(reportFault);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.chdir(earlierFolder);
    Object.assign(pc, colours);
    for (const each of [stdout, stderr]) each.stop();
  }
}

/** Keeps the text that is written to a stream, instead of writing it. */
function capture(stream: NodeJS.WriteStream) {
  const { write } = stream;
  let text = '';
  stream.write = (chunk: string | Uint8Array) => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
    return true;
  };
  return {
    text: () => text,
    stop: () => {
      stream.write = write;
    },
  };
}
