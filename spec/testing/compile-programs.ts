import { dirname } from 'node:path';
import ts from 'typescript';

/**
 * Compiles the programs that a configuration file lists. Returns the errors in these programs as text. The
 * compiler reads the sources that the programs import, and does not check them: `npm run typecheck` does.
 */
export function compilePrograms(configFile: string): string {
  const { config } = ts.readConfigFile(configFile, ts.sys.readFile);
  const { options, fileNames, errors } = ts.parseJsonConfigFileContent(config, ts.sys, dirname(configFile));
  const program = ts.createProgram(fileNames, options);
  const files = fileNames.flatMap((name) => program.getSourceFile(name) ?? []);
  const diagnostics = [
    ...errors,
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...files.flatMap((file) => program.getSyntacticDiagnostics(file)),
    ...files.flatMap((file) => program.getSemanticDiagnostics(file)),
  ];
  return ts.formatDiagnostics(diagnostics, ts.createCompilerHost(options));
}
