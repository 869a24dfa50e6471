import { publicSettings } from './public-settings.ts';
import { advancedSettings } from './schema.ts';
import { unknownSetting } from './unknown-setting.ts';

type Settings = Record<string, unknown>;

/** The content of a settings file without its `advanced` level, and the faults of misplaced settings. */
export type Flattened = { readonly settings: Settings; readonly faults: readonly string[] };

/**
 * Removes the level `advanced` from a settings file. A misplaced setting keeps its value, so that its other
 * faults are found too.
 */
export function flattenSettings(content: object): Flattened {
  const { advanced: group = null, ...top } = content as Settings;
  const isGroup = typeof group === 'object' && !Array.isArray(group);
  const inner = Object.entries(isGroup ? (group ?? {}) : {});
  const isUnknown = (name: string) =>
    !Object.hasOwn(publicSettings, name) && !Object.hasOwn(advancedSettings, name);
  return {
    settings: Object.fromEntries([...inner.filter(([name]) => !isUnknown(name)), ...topOver(inner, top)]),
    faults: [
      ...(isGroup ? [] : ['advanced: must be a mapping of settings']),
      ...Object.keys(top)
        .filter((name) => Object.hasOwn(advancedSettings, name))
        .map((name) => `${name}: is under advanced now. Write advanced: { ${name}: ... }.`),
      ...inner.flatMap(([name]) => {
        if (isUnknown(name)) return [unknownSetting(['advanced', name])];
        if (!Object.hasOwn(publicSettings, name)) return [];
        return [`advanced.${name}: is not under advanced. Write ${name}: ... at the top of the file.`];
      }),
    ],
  };
}

/** Settings at the top override `advanced`, except an advanced setting that stands in both places. */
function topOver(inner: readonly (readonly [string, unknown])[], top: Settings): [string, unknown][] {
  const given = new Set(inner.map(([name]) => name));
  return Object.entries(top).filter(([name]) => !Object.hasOwn(advancedSettings, name) || !given.has(name));
}

/** Formats the settings of the program as a settings file: public ones first, then `advanced`. */
export function nestSettings(settings: object): Settings {
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  const isAdvanced = ([name]: readonly [string, unknown]) => Object.hasOwn(advancedSettings, name);
  const advanced = Object.fromEntries(given.filter(isAdvanced));
  return {
    ...Object.fromEntries(given.filter((entry) => !isAdvanced(entry))),
    ...(Object.keys(advanced).length > 0 && { advanced }),
  };
}
