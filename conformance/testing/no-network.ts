import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';

const { request } = http;

// A test preloads this file, so that the suite throws when it sends a text completion, or any request to port
// 1.
Object.assign(http, {
  request: (url: URL, options: http.RequestOptions) => {
    if (url.port !== '1' && url.pathname !== '/v1/completions') return request(url, options);
    throw new TypeError('the suite is broken on purpose');
  },
});
syncBuiltinESMExports();
