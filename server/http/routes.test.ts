import { endpoints } from '@paid-inference/contract/constants';
import { ChatCompletionRequest, CompletionRequest } from '@paid-inference/contract/validators';
import { describe, expect, it } from 'vitest';
import { readRoutes } from './routes.ts';

const match = readRoutes();

describe('Every operation of the contract', () => {
  it.each(Object.entries(endpoints))(
    '%s is found by its method and path',
    (operationId, { method, path }) => {
      expect(match(method, path.replace('{id}', 'x'))).toMatchObject({
        kind: 'route',
        route: { operationId },
      });
    },
  );

  it('with a body has the validator and the fields of that body', () => {
    const chat = match('POST', '/v1/chat/completions');
    const text = match('POST', '/v1/completions');
    const health = match('GET', '/health');
    if (chat.kind !== 'route' || text.kind !== 'route' || health.kind !== 'route')
      throw new Error('no route');
    expect(chat.route.validateBody).toBe(ChatCompletionRequest);
    expect(text.route.validateBody).toBe(CompletionRequest);
    expect(chat.route.bodyFields.has('messages')).toBe(true);
    expect(chat.route.bodyFields.has('echo')).toBe(false);
    expect(health.route.validateBody).toBeNull();
  });
});

describe('A path', () => {
  it.each([
    '/',
    '',
    '/v1',
    '/v1/chat/completions/',
    '//v1/chat/completions',
    '/V1/chat/completions',
    '/v2/chat/completions',
    '/v1/models/',
    '/openapiXjson',
    '/v1/chat/completions\n',
    '/v1/chat%2Fcompletions',
    '/x/health',
  ])('%j matches no operation', (path) => {
    expect(match('POST', path)).toEqual({ kind: 'no-path', meant: null });
  });

  it.each([
    ['/chat/completions', '/v1/chat/completions'],
    ['/v1/v1/chat/completions', '/v1/chat/completions'],
    ['/models/alder/alder-mini', '/v1/models/{id}'],
    ['/v1/health', '/health'],
  ])('%s of a client with a wrong base URL names %s', (path, meant) => {
    expect(match('POST', path)).toEqual({ kind: 'no-path', meant });
  });

  it.each([
    ['encoded', '/v1/models/alder%2Falder-mini'],
    ['as it is', '/v1/models/alder/alder-mini'],
  ])('has the id of a model with its slash %s', (_name, path) => {
    expect(match('GET', path)).toMatchObject({ kind: 'route', path: { id: 'alder/alder-mini' } });
  });

  it('that does not decode matches nothing and throws nothing', () => {
    expect(match('GET', '/v1/models/%E0%A4%A')).toEqual({ kind: 'no-path', meant: null });
  });
});

describe('A method', () => {
  it('with another method is reported apart from an unknown path', () => {
    expect(match('GET', '/v1/chat/completions')).toEqual({ kind: 'no-method', allowed: ['POST'] });
    expect(match('DELETE', '/v1/models')).toEqual({ kind: 'no-method', allowed: ['GET'] });
    expect(match('constructor', '/v1/models')).toEqual({ kind: 'no-method', allowed: ['GET'] });
  });

  it('HEAD is GET, and only on paths that have GET (RFC 9110 9.3.2)', () => {
    expect(match('HEAD', '/health')).toMatchObject({ kind: 'route', route: { operationId: 'getHealth' } });
    expect(match('HEAD', '/v1/completions')).toMatchObject({ kind: 'no-method' });
  });
});
