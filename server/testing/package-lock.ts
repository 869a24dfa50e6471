/** The part of a lock file of npm that names the packages by folder. */
export type PackageLock = {
  readonly packages: Readonly<
    Record<string, { readonly version?: string; readonly integrity?: string; readonly optional?: boolean }>
  >;
};

/** Whether every wanted package is installed in its version. npm leaves out optional ones of other platforms. */
export function isInstalled(wanted: PackageLock, installed: PackageLock): boolean {
  return Object.entries(wanted.packages)
    .filter(([folder]) => folder !== '')
    .every(([folder, { version, integrity, optional = false }]) => {
      const found = installed.packages[folder];
      if (found === undefined) return optional;
      return found.version === version && found.integrity === integrity;
    });
}
