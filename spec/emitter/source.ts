import {
  getDoc,
  type Model,
  type ModelProperty,
  navigateProgram,
  type Program,
  type Scalar,
  type Type,
} from '@typespec/compiler';

/** First line of every emitted file. */
export const banner = '// Generated from spec/ by `npm run generate`. Edit spec/, not this file.\n';

/**
 * JavaScript source of a JSON value: keys without quotes where possible, strings in single quotes, indented.
 */
export function literal(value: unknown, indent = ''): string {
  const inner = `${indent}  `;
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map((item) => `${inner}${literal(item, inner)},\n`).join('')}${indent}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const rows = Object.entries(value).map(
      ([key, item]) =>
        `${inner}${/^[A-Za-z_$][\w$]*$/.test(key) ? key : quoted(key)}: ${literal(item, inner)},\n`,
    );
    return rows.length === 0 ? '{}' : `{\n${rows.join('')}${indent}}`;
  }
  return String(value);
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
}

/** A TSDoc comment from the doc of a declaration, or an empty string. */
export function docComment(program: Program, target: Model | ModelProperty | Scalar, indent = ''): string {
  const text = getDoc(program, target);
  return text === undefined ? '' : `${indent}/** ${text.replaceAll('\n', ' ').replaceAll('*/', '* /')} */\n`;
}

/** Every model of the contract, in order of declaration. */
export function contractModels(program: Program): Model[] {
  const models: Model[] = [];
  navigateProgram(program, {
    model(model) {
      if (model.namespace?.name === 'PaidInference' && model.name !== '') models.push(model);
    },
  });
  return models;
}

/**
 * The values of a decorator by target. Leaves out copies of a spread, which repeat the decorators of their
 * originals.
 */
export function readDecorator<Target extends Type, Value>(program: Program, key: symbol): [Target, Value][] {
  const all = [...program.stateMap(key)] as [Target, Value][];
  return all.filter(([target]) => !(target.kind === 'ModelProperty' && target.sourceProperty !== undefined));
}

/** The only value of a property's type: a literal, or a scalar with equal bounds. */
export function onlyValue(property: ModelProperty): string | number {
  const type = property.type;
  if (type.kind === 'String' || type.kind === 'Number') return type.value;
  if (type.kind === 'Scalar') {
    const [low, high] = ['$minValue', '$maxValue'].map((name) => {
      const found = type.decorators.find((decorator) => decorator.decorator.name === name)?.args[0]?.jsValue;
      return Number(found);
    });
    if (low !== undefined && low === high) return low;
  }
  throw new Error(`@constant on ${property.name}: its type allows more than one value`);
}

export function camelCase(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
