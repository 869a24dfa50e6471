import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';

const { request } = http;

let texts = 0;

// A test preloads this file, so that the suite throws when it sends a second text completion, or any request to port
// 1. The first one looks for a model that is sold (D-201).
Object.assign(http, {
  request: (url: URL, options: http.RequestOptions) => {
    if (url.pathname === '/v1/completions') texts += 1;
    if (url.port !== '1' && (url.pathname !== '/v1/completions' || texts < 2)) return request(url, options);
    throw new TypeError('the suite is broken on purpose');
  },
});
syncBuiltinESMExports();
