import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The builds that anvil's own package lists, by Node's name of the platform. */
const builds: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-amd64',
  'linux-arm64': 'linux-arm64',
  'darwin-x64': 'darwin-amd64',
  'darwin-arm64': 'darwin-arm64',
  'win32-x64': 'win32-amd64',
};

/**
 * Returns the path of this platform's anvil. The package's start script is left out, because it would add a
 * process between the gateway and the chain. Throws where no build is available, with the setting to change.
 */
export function anvilBinary(
  platform: string = process.platform,
  architecture: string = process.arch,
): string {
  const host = `${platform}-${architecture}`;
  const build = builds[host];
  const missing = (why: string) =>
    new Error(`The embedded chain cannot run here: ${why}. Set CHAIN_RPC_URL to the node of a chain.`);
  if (build === undefined) throw missing(`anvil is not built for ${host}`);
  try {
    return require.resolve(`@foundry-rs/anvil-${build}/bin/anvil${platform === 'win32' ? '.exe' : ''}`);
  } catch {
    throw missing(
      `@foundry-rs/anvil-${build} is not installed (an optional dependency of @foundry-rs/anvil)`,
    );
  }
}
