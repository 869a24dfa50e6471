import { getDoc, type Model, type Program } from '@typespec/compiler';
import { type ErrorRowRecord, stateKeys } from '../lib/decorators.ts';
import { banner, literal, readDecorator } from './source.ts';

/** Emits the error table of section 7 and D-07, in order of precedence (D-05). */
export function emitErrors(program: Program): string {
  const rows = readDecorator<Model, ErrorRowRecord>(program, stateKeys.errorRow)
    .sort(([, one], [, other]) => one.precedence - other.precedence)
    .map(([model, row]) => {
      const { type, code } = readDetail(model);
      return [code, { status: row.status, type, when: (getDoc(program, model) ?? '').replaceAll('\n', ' ') }];
    });
  return `${banner}
/** All errors by \`error.code\`. Of several errors in one request, the earlier row wins. */
export const errorTable = ${literal(Object.fromEntries(rows))} as const;

export type ErrorCode = keyof typeof errorTable;
export type ErrorType = (typeof errorTable)[ErrorCode]['type'];
`;
}

function readDetail(model: Model): { type: string; code: string } {
  const detail = model.properties.get('error')?.type;
  if (detail?.kind !== 'Model') throw new Error(`@errorRow on ${model.name}: the model has no error object`);
  const [type, code] = ['type', 'code'].map((name) => {
    const field = detail.properties.get(name)?.type;
    if (field?.kind !== 'String')
      throw new Error(`@errorRow on ${model.name}: error.${name} is not a literal`);
    return field.value;
  });
  return { type: type ?? '', code: code ?? '' };
}
