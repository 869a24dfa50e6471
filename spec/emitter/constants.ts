import {
  getMaxValue,
  getMinValue,
  type ModelProperty,
  type Program,
  serializeValueAsJson,
} from '@typespec/compiler';
import { getAllHttpServices, getHeaderFieldName, isHeader } from '@typespec/http';
import { getOperationId } from '@typespec/openapi';
import { stateKeys } from '../lib/decorators.ts';
import { banner, contractModels, docComment, literal, onlyValue, readDecorator } from './source.ts';

/** Emits fixed values, endpoints, header names, defaults and ranges, so that no other source repeats them. */
export function emitConstants(program: Program): string {
  return [
    banner,
    fixedValues(program),
    `/** Method and path of every operation. */\nexport const endpoints = ${literal(endpoints(program))} as const;\n`,
    `/** The wire name of every header, by its name in the contract. */\nexport const headerNames = ${literal(headerNames(program))} as const;\n`,
    `/** Defaults of the request bodies. */\nexport const defaults = ${literal(perModel(program, readDefault))} as const;\n`,
    `/** Ranges of the numbers in the request bodies. */\nexport const ranges = ${literal(perModel(program, readRange))} as const;\n`,
    `/** Fields of the request bodies that the contract's text does not have (D-264). */\nexport const extensionFields = ${literal(extensionFields())} as const;\n`,
    'export type OperationId = keyof typeof endpoints;\n',
  ].join('\n');

  function readDefault(property: ModelProperty): unknown {
    if (property.defaultValue === undefined) return undefined;
    return serializeValueAsJson(program, property.defaultValue, property.type);
  }

  function extensionFields(): Record<string, readonly string[]> {
    const extended = perModel(program, ({ sourceProperty }) =>
      sourceProperty?.model?.namespace?.name === 'OpenAiClients' ? true : undefined,
    );
    return Object.fromEntries(
      Object.entries(extended).map(([name, fields]) => [name, Object.keys(Object(fields))]),
    );
  }

  function readRange(property: ModelProperty): unknown {
    const minimum = getMinValue(program, property);
    const maximum = getMaxValue(program, property);
    if (minimum === undefined && maximum === undefined) return undefined;
    return { ...(minimum !== undefined && { minimum }), ...(maximum !== undefined && { maximum }) };
  }
}

function fixedValues(program: Program): string {
  const lines: string[] = [];
  for (const [target, name] of readDecorator<ModelProperty, string>(program, stateKeys.constant)) {
    lines.push(`${docComment(program, target)}export const ${name} = ${literal(onlyValue(target))};\n`);
  }
  return lines.join('');
}

function endpoints(program: Program): Record<string, { method: string; path: string }> {
  const [services] = getAllHttpServices(program);
  const operations = services.flatMap((service) => service.operations);
  return Object.fromEntries(
    operations.map((operation) => [
      getOperationId(program, operation.operation) ?? operation.operation.name,
      { method: operation.verb.toUpperCase(), path: operation.path },
    ]),
  );
}

function headerNames(program: Program): Record<string, string> {
  const names: Record<string, string> = {};
  for (const model of contractModels(program)) {
    for (const property of model.properties.values()) {
      if (isHeader(program, property)) names[property.name] = getHeaderFieldName(program, property);
    }
  }
  return names;
}

function perModel(program: Program, read: (property: ModelProperty) => unknown): Record<string, unknown> {
  const found: Record<string, Record<string, unknown>> = {};
  for (const model of contractModels(program).filter((each) => each.name.endsWith('Request'))) {
    for (const property of model.properties.values()) {
      const value = read(property);
      if (value !== undefined) found[model.name] = { ...found[model.name], [property.name]: value };
    }
  }
  return found;
}
