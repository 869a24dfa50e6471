import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The binaries that anvil's own package lists, by Node's name of the platform. */
const builds: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-amd64',
  'linux-arm64': 'linux-arm64',
  'darwin-x64': 'darwin-amd64',
  'darwin-arm64': 'darwin-arm64',
  'win32-x64': 'win32-amd64',
};

/**
 * Where this platform's anvil lies. It is asked for directly, past the package's start script, which would put one
 * more process between us and the chain. Throws, in one line that says what to do, where there is none.
 */
export function anvilBinary(
  platform: string = process.platform,
  architecture: string = process.arch,
): string {
  const host = `${platform}-${architecture}`;
  const build = builds[host];
  const missing = (why: string) =>
    new Error(`The embedded chain cannot run here: ${why}. Configure the RPC URL of a chain instead.`);
  if (build === undefined) throw missing(`anvil is not built for ${host}`);
  try {
    return require.resolve(`@foundry-rs/anvil-${build}/bin/anvil${platform === 'win32' ? '.exe' : ''}`);
  } catch {
    throw missing(
      `@foundry-rs/anvil-${build} is not installed (an optional dependency of @foundry-rs/anvil)`,
    );
  }
}
