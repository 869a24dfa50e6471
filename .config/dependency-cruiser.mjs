/**
 * The allowed imports between the folders of a package. A folder may import only the folders that are listed
 * for it. Tests and `testing/` may import every folder, and only they may import a `testing/`.
 */
const allowedImports = {
  server: {
    types: [],
    observe: ['types'],
    outbound: ['types'],
    store: ['types'],
    chain: ['observe', 'outbound', 'types'],
    relayer: ['chain', 'observe', 'store', 'types'],
    payment: ['chain', 'store', 'types'],
    inference: ['outbound', 'types'],
    proof: ['chain', 'observe', 'relayer', 'store', 'types'],
    settlement: ['chain', 'observe', 'outbound', 'payment', 'relayer', 'store', 'types'],
    http: ['observe', 'store', 'types'],
    request: ['chain', 'http', 'inference', 'observe', 'payment', 'proof', 'settlement', 'store', 'types'],
    telemetry: ['chain', 'http', 'inference', 'observe', 'request', 'store', 'types'],
    config: ['chain', 'proof', 'types'],
    devnet: ['chain', 'types'],
    start: [
      'chain',
      'config',
      'devnet',
      'gateway.ts',
      'http',
      'inference',
      'observe',
      'payment',
      'proof',
      'relayer',
      'request',
      'settlement',
      'store',
      'telemetry',
      'types',
      'web',
    ],
    doctor: [
      'chain',
      'config',
      'inference',
      'observe',
      'outbound',
      'proof',
      'relayer',
      'settlement',
      'start',
      'store',
      'types',
    ],
    export: ['chain', 'config', 'observe', 'payment', 'start', 'store', 'types'],
    backup: ['config', 'start', 'store', 'types'],
    contracts: ['chain', 'start', 'types'],
    web: ['chain', 'http', 'store', 'telemetry', 'types'],
  },
  client: {
    payment: ['clock.ts', 'limits.ts'],
    openai: ['payment'],
    stream: ['clock.ts', 'failure.ts', 'limits.ts', 'paid-result.ts', 'pay.ts', 'payment', 'result.ts'],
    proxy: ['clock.ts', 'create-paying-fetch.ts', 'no-signer.ts', 'pay.ts', 'payment'],
    verify: [
      'chain-provider.ts',
      'client.ts',
      'clock.ts',
      'no-signer.ts',
      'payment',
      'result.ts',
      'saved-exchange.ts',
      'settlement-type.ts',
      'transfer-events.ts',
    ],
    cli: [
      'chain-provider.ts',
      'client.ts',
      'clock.ts',
      'no-signer.ts',
      'payment',
      'proxy',
      'result.ts',
      'saved-exchange.ts',
      'settlement-type.ts',
      'token.ts',
      'transfer-events.ts',
      'verify',
    ],
    demo: ['client.ts', 'payment', 'token.ts', 'transfer-events.ts', 'verify'],
    // Programs for development: the package itself is in Python.
    python: ['demo', 'limits.ts', 'payment'],
  },
  conformance: {
    types: [],
    wire: ['types'],
    payment: ['types', 'wire'],
    chain: ['payment', 'types', 'wire'],
    context: ['chain', 'payment', 'types', 'wire'],
    sources: ['context', 'payment', 'types', 'wire'],
    conditions: ['context', 'sources', 'types', 'wire'],
    fuzz: ['context', 'sources', 'types', 'wire'],
    checks: ['chain', 'conditions', 'context', 'fuzz', 'payment', 'sources', 'types', 'wire'],
    engine: ['chain', 'context', 'payment', 'sources', 'types', 'wire'],
    suite: ['checks', 'context', 'engine'],
    report: ['engine', 'types', 'wire'],
    clients: ['chain', 'engine', 'payment', 'report', 'types', 'wire'],
    cli: ['checks', 'clients', 'context', 'engine', 'payment', 'report', 'suite', 'types', 'wire'],
  },
  spec: {
    lib: [],
    emitter: ['lib'],
  },
};

/** Files for tests, benchmarks and trial programs only. The test support of a package is in its top folder `testing/`. */
export const forTests =
  '[.]test[.]ts$|^(spec|server|client|conformance)/testing/|^server/(bench|faults|llama-trial|load|proof-trial)/|^conformance/(catalogue|clients/(mutants|official)|independent|mutants|stacks)/';

/** Files that people, other packages and scripts start. All shipped code is reachable from them. */
const entryPoints = [
  'client/(cli|demo|index|paying-fetch|verify)',
  'client/python/(run-tests|write-contract)',
  // Bundlers for browsers read it instead of hardware-readers.ts.
  'client/verify/evidence/no-hardware-readers',
  'conformance/(cli|index|vitest)',
  'server/(gateway|main)',
  'server/contracts/(compile|deploy-ledger)',
  'server/web/build',
  // Vite builds the page from it.
  'server/web/page/main',
  'server/web/page/programs[.]d',
  'server/web/page/operator/operator',
  // Started as a thread and as a process, without an import.
  'server/devnet/keep-anvil',
  'server/store/sqlite/worker',
  'spec/emitter/index',
  'spec/lib/decorators',
  'spec/scripts/(generate|lint|prove-drift|unit-tests)',
].map((path) => `^${path}[.]tsx?$`);

const name = (inner) => (inner.endsWith('.ts') ? `${inner.replaceAll('.', '[.]')}$` : `${inner}/`);

const folderRules = Object.entries(allowedImports).flatMap(([folder, allowed]) =>
  Object.entries(allowed).map(([inner, others]) => ({
    name: `${folder}/${inner}`,
    comment: `${folder}/${inner}/ may import only ${[...others, 'itself'].join(', ')}. The table is in .config/dependency-cruiser.mjs.`,
    severity: 'error',
    from: { path: `^${folder}/${inner}/`, pathNot: forTests },
    to: {
      path: `^${folder}/.*[.]ts$`,
      pathNot: [inner, ...others].map((each) => `^${folder}/${name(each)}`),
    },
  })),
);

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-cycle',
      comment:
        'Two files import each other, directly or through others. Move what both need into a third file.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'not-to-tests',
      comment: 'Shipped code imports code that only tests need.',
      severity: 'error',
      from: { path: '^(spec|generated|server|client|conformance)/', pathNot: forTests },
      to: { path: forTests },
    },
    {
      name: 'only-for-tests',
      comment: 'Only tests need this file. Move it into the folder testing/ at the top of its package.',
      severity: 'error',
      from: { path: entryPoints },
      to: {
        path: '^(spec|server|client|conformance)/.*[.]ts$',
        pathNot: [forTests, ...entryPoints],
        reachable: false,
      },
    },
    {
      name: 'unlisted-folder',
      comment: 'Add the folder to the table in .config/dependency-cruiser.mjs.',
      severity: 'error',
      from: {
        path: '^(server|client|conformance)/[^/]+/',
        pathNot: [
          forTests,
          `^(${Object.entries(allowedImports)
            .flatMap(([folder, all]) => Object.keys(all).map((inner) => `${folder}/${inner}`))
            .join('|')})/`,
        ],
      },
      to: {},
    },
    ...folderRules,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^generated/.*[.]json$|^server/web/built/' },
    includeOnly: '^(spec|generated|server|client|conformance)/',
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.js', '.json'] },
  },
};
