import process from 'node:process';

export default {
  input: process.env.OPENAPI_31,
  output: { path: 'generated', module: { extension: '.ts' } },
  plugins: ['@hey-api/client-fetch', '@hey-api/sdk', '@hey-api/typescript'],
};
