/** A package has compiled modules. A clone runs the TypeScript files by the scripts of npm. */
const isPackage = import.meta.filename.endsWith('.js');

/** The commands that texts tell a person to type. Each takes arguments after it. */
export const commands = isPackage
  ? {
      start: 'paid-inference-gateway',
      doctor: 'paid-inference-gateway doctor',
      export: 'paid-inference-gateway export',
      chat: 'npx -p @paid-inference/client paid-inference chat',
      verify: 'npx -p @paid-inference/client paid-inference verify',
      conformance: 'npx -p @paid-inference/conformance paid-inference-conformance',
    }
  : {
      start: 'npm start --',
      doctor: 'npm run doctor --',
      // Without -s, npm prints two lines of its own before the export.
      export: 'npm run -s export --',
      chat: 'npm run chat --',
      verify: 'npm run verify --',
      conformance: 'npm run conformance --',
    };
