import process from 'node:process';

export default {
  gateway: {
    input: process.env.OPENAPI_31,
    output: {
      client: 'fetch',
      mode: 'single',
      target: 'generated/gateway.ts',
      baseUrl: { runtime: 'process.env.GATEWAY_URL' },
    },
  },
};
