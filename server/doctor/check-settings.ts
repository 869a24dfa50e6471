import type { ReadConfig } from '../config/load.ts';
import { urlWarnings } from '../config/url-warnings.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

/** Reports the faults and the warnings that a start reports. */
export function checkSettings({ loaded, faults }: ReadConfig): readonly Finding[] {
  const found = faults.map((fault) => failed('settings', fault));
  if (loaded === null) return found;
  const { config, warnings = [] } = loaded;
  found.push(...[...warnings, ...urlWarnings(config)].map((text) => warning('settings', text)));
  if (config.chain === undefined)
    found.push(
      warning(
        'settings',
        'The settings have no chain, so the gateway starts a devnet, whose tokens have no value. Set CHAIN_RPC_URL, TOKEN_ADDRESS, TOKEN_NAME and PAY_TO for a real chain',
      ),
    );
  return found.length > 0 ? found : [ok('settings', 'The settings are valid')];
}
