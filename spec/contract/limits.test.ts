import {
  chainId,
  defaults,
  mimeType,
  network,
  ranges,
  scheme,
  tokenDomainVersion,
} from '@paid-inference/contract/constants';
import document from '@paid-inference/contract/openapi.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import { sections, tableRows } from '../testing/contract-text.ts';

const limits = new Map(tableRows('8').map(([limit = '', value = '']) => [limit, value]));

describe('8 limits', () => {
  it('are the ones of this test', () => {
    expect([...limits.keys()]).toEqual([
      '`temperature` range',
      '`max_tokens` default (chat)',
      '`temperature` default (chat)',
      'Payment offer validity',
    ]);
  });

  it('temperature goes from 0 to 2, in both requests', () => {
    const [minimum, maximum] = (limits.get('`temperature` range') ?? '').split(' to ').map(Number);
    expect(ranges.ChatCompletionRequest.temperature).toEqual({ minimum, maximum });
    expect(ranges.CompletionRequest.temperature).toEqual({ minimum, maximum });
  });

  it('text has the defaults of chat, because the contract shows none (D-12)', () => {
    const said = {
      max_tokens: Number(limits.get('`max_tokens` default (chat)')),
      temperature: Number(limits.get('`temperature` default (chat)')),
    };
    expect(said).toEqual({ max_tokens: 100, temperature: 1 });
    expect(defaults.ChatCompletionRequest).toEqual(said);
    expect(defaults.CompletionRequest).toEqual(said);
  });

  it('max_tokens has a lower bound but no upper one, because the contract shows none (D-12)', () => {
    expect(ranges.ChatCompletionRequest.max_tokens).toEqual({ minimum: 1 });
    expect(ranges.CompletionRequest.max_tokens).toEqual({ minimum: 1 });
  });
});

describe('fixed values of 2.8 and 2.11', () => {
  const offer = new Map(tableRows('2.8').map(([field = '', , rule = '']) => [bare(field), bare(rule)]));

  it('are scheme, network, mimeType, chain and token version', () => {
    expect([offer.get('scheme'), offer.get('network'), offer.get('mimeType')]).toEqual([
      scheme,
      network,
      mimeType,
    ]);
    expect(tableRows('2.11').find(([field]) => field === '`chainId`')?.[2]).toBe(String(chainId));
    expect(offer.get('extra')).toContain(`domain version, ${tokenDomainVersion})`);
    expect(network).toBe(`eip155:${chainId}`);
  });
});

describe('9 versioning', () => {
  it('both inference endpoints have the version prefix, and the document has that major version', () => {
    expect(sections.get('9')).toContain('path prefix `/v1`');
    const paid = Object.entries(document.paths).filter(([, item]) => 'post' in item);
    expect(paid.map(([path]) => path)).toEqual(['/v1/chat/completions', '/v1/completions']);
    expect(document.info.version).toMatch(/^1\./);
  });
});

function bare(cell: string): string {
  return cell.replaceAll('`', '');
}
