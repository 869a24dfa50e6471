import packageJson from '../package.json' with { type: 'json' };

export const suite = { name: packageJson.name, version: packageJson.version } as const;

/** Says to an operator who is knocking. */
export const userAgent = `paid-inference-conformance/${suite.version}`;
