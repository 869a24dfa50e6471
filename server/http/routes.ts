import document from '@paid-inference/contract/openapi.json' with { type: 'json' };
import * as validators from '@paid-inference/contract/validators';
import type { OperationId } from './contract.ts';
import { dropNulls } from './drop-nulls.ts';

/** One operation of the document, ready to match and validate requests. */
export type Route = {
  readonly operationId: OperationId;
  /** The path of the contract, with the names of its parameters. */
  readonly path: string;
  readonly method: string;
  readonly validateBody: validators.Validate<unknown> | null;
  /** Removes null from optional fields of the body (D-263). */
  readonly dropNulls: (body: unknown) => unknown;
  /** Top-level fields that the body may have. */
  readonly bodyFields: ReadonlySet<string>;
  /** Names of the parameters that the query may have. */
  readonly queryNames: readonly string[];
};

export type Match =
  | { readonly kind: 'route'; readonly route: Route; readonly path: Readonly<Record<string, string>> }
  /** `meant` is the path of the contract that the client means, if its base URL has too many `/v1` or none. */
  | { readonly kind: 'no-path'; readonly meant: string | null }
  | { readonly kind: 'no-method'; readonly allowed: readonly string[] };

type Operation = {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: { readonly $ref: string } } };
  };
};
type PathEntry = {
  readonly template: string;
  readonly pattern: RegExp;
  readonly routes: ReadonlyMap<string, Route>;
};

/** Reads the routing table from the OpenAPI document. */
export function readRoutes(): (method: string, path: string) => Match {
  const entries = Object.entries(document.paths).map(([template, item]) => createEntry(template, item));
  return (method, path) => {
    for (const { pattern, routes } of entries) {
      const found = pattern.exec(path);
      if (found === null) continue;
      const parameters = decodeParameters(found.groups ?? {});
      if (parameters === null) return { kind: 'no-path', meant: null };
      // RFC 9110 9.3.2: HEAD is GET without the body. Node omits the body by itself.
      const route = routes.get(method === 'HEAD' ? 'GET' : method);
      if (route === undefined) return { kind: 'no-method', allowed: [...routes.keys()] };
      return { kind: 'route', route, path: parameters };
    }
    return { kind: 'no-path', meant: findMeant(entries, path) };
  };
}

function createEntry(template: string, item: object): PathEntry {
  const routes = Object.entries(item as Record<string, Operation>).map(
    ([verb, operation]) =>
      [verb.toUpperCase(), createRoute(verb.toUpperCase(), template, operation)] as const,
  );
  // A model id has a slash, which only some clients encode. So a parameter takes the rest of the path.
  const source = template.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, '(?<$1>.+)');
  return { template, pattern: new RegExp(`^${source}$`), routes: new Map(routes) };
}

function findMeant(entries: readonly PathEntry[], path: string): string | null {
  const bare = path.replace(/^(\/v1)+/, '');
  const meant = entries.find(({ pattern }) => pattern.test(`/v1${bare}`) || pattern.test(bare));
  return meant?.template ?? null;
}

function createRoute(method: string, path: string, operation: Operation): Route {
  const reference = operation.requestBody?.content['application/json'].schema.$ref;
  const name = reference?.split('/').at(-1);
  const operationId = operation.operationId as OperationId;
  const queryNames = (operation.parameters ?? [])
    .filter((each) => each.in === 'query')
    .map((each) => each.name);
  if (name === undefined) {
    const noBody = { validateBody: null, dropNulls: (body: unknown) => body, bodyFields: new Set<string>() };
    return { operationId, path, method, ...noBody, queryNames };
  }
  const validateBody = (validators as unknown as Record<string, validators.Validate<unknown>>)[name];
  const schema = (document.components.schemas as Record<string, { properties?: object }>)[name];
  if (validateBody === undefined || schema === undefined)
    throw new Error(`The contract has no validator for ${name}.`);
  const bodyFields = new Set(Object.keys(schema.properties ?? {}));
  const dropNullsOfBody = (body: unknown) => dropNulls(body, name);
  return { operationId, path, method, validateBody, dropNulls: dropNullsOfBody, bodyFields, queryNames };
}

function decodeParameters(groups: Record<string, string>): Record<string, string> | null {
  try {
    return Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, decodeURIComponent(text)]));
  } catch {
    return null;
  }
}
