import { join } from 'node:path';
import ts from 'typescript';

export type ConsumerCompiler = {
  /** Compiles `consumer.ts` of a folder into a folder with the name of the resolution. Returns the errors. */
  compile(folder: string, moduleResolution: 'node16' | 'bundler'): string;
  /** Forgets the parsed declarations, which take a hundred megabytes. */
  close(): void;
};

/** Consumers share the parsed declarations of `node_modules`. To parse them takes most of a compilation. */
export function createConsumerCompiler(): ConsumerCompiler {
  const parsed = new Map<string, ts.SourceFile | undefined>();
  return {
    compile(folder, moduleResolution) {
      const isNode = moduleResolution === 'node16';
      const options: ts.CompilerOptions = {
        module: isNode ? ts.ModuleKind.Node16 : ts.ModuleKind.ESNext,
        moduleResolution: isNode ? ts.ModuleResolutionKind.Node16 : ts.ModuleResolutionKind.Bundler,
        outDir: join(folder, moduleResolution),
        rootDir: folder,
        target: ts.ScriptTarget.ES2023,
        strict: true,
        resolveJsonModule: true,
        skipLibCheck: true,
        types: ['node'],
      };
      const host = ts.createCompilerHost(options);
      const { getSourceFile } = host;
      host.getCurrentDirectory = () => folder;
      host.getSourceFile = (path, mode, ...rest) => {
        if (path.startsWith(folder)) return getSourceFile(path, mode, ...rest);
        const format = typeof mode === 'object' ? mode.impliedNodeFormat : undefined;
        const key = JSON.stringify([moduleResolution, path, format]);
        if (!parsed.has(key)) parsed.set(key, getSourceFile(path, mode, ...rest));
        return parsed.get(key);
      };
      const program = ts.createProgram([join(folder, 'consumer.ts')], options, host);
      const { diagnostics } = program.emit();
      return ts.formatDiagnostics([...ts.getPreEmitDiagnostics(program), ...diagnostics], host);
    },
    close: () => parsed.clear(),
  };
}
