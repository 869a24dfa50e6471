import { expect, it } from 'vitest';
import { readSamples } from './parse-metrics.ts';

const text = `# HELP paid_inference_relayer_balance_ether Ether of a relayer
# TYPE paid_inference_relayer_balance_ether gauge
paid_inference_relayer_balance_ether{relayer="0x1"} 0.5
paid_inference_relayer_balance_ether{relayer="0x2"} 1e-3
paid_inference_rpc_endpoint_up{chain="payments",endpoint="1"} 1
paid_inference_bad_debts 0
`;

it('the values of a metric are read with their labels, and no other metric', () => {
  expect(readSamples(text, 'paid_inference_relayer_balance_ether')).toEqual([
    { labels: { relayer: '0x1' }, value: 0.5 },
    { labels: { relayer: '0x2' }, value: 0.001 },
  ]);
  expect(readSamples(text, 'paid_inference_rpc_endpoint_up')).toEqual([
    { labels: { chain: 'payments', endpoint: '1' }, value: 1 },
  ]);
  expect(readSamples(text, 'paid_inference_bad_debts')).toEqual([{ labels: {}, value: 0 }]);
  expect(readSamples(text, 'paid_inference')).toEqual([]);
});

it('a label may have escaped characters', () => {
  expect(readSamples('a{b="x \\"y\\" \\\\ z"} 1', 'a')).toEqual([{ labels: { b: 'x "y" \\ z' }, value: 1 }]);
});
