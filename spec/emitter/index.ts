import { createTypeSpecLibrary, type EmitContext, emitFile, resolvePath } from '@typespec/compiler';
import { emitConstants } from './constants.ts';
import { emitEip712 } from './eip712.ts';
import { emitErrors } from './errors.ts';
import { emitHeaders } from './headers.ts';
import { emitRequirements } from './requirements.ts';

export const $lib = createTypeSpecLibrary({ name: '@paid-inference/spec', diagnostics: {} });

/** Emits the files that the OpenAPI documents do not cover, in the same compilation. */
export async function $onEmit(context: EmitContext): Promise<void> {
  if (context.program.compilerOptions.noEmit) return;
  const files = {
    'constants.ts': emitConstants(context.program),
    'eip712.ts': emitEip712(context.program),
    'errors.ts': emitErrors(context.program),
    'headers.ts': emitHeaders(context.program),
    'requirements.ts': emitRequirements(context.program),
  };
  for (const [name, content] of Object.entries(files)) {
    await emitFile(context.program, { path: resolvePath(context.emitterOutputDir, name), content });
  }
}
