import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';

const { request } = http;

// Preloaded by a test, so that the suite itself throws where it would send a text completion, or to port 1 anything.
Object.assign(http, {
  request: (url: URL, options: http.RequestOptions) => {
    if (url.port !== '1' && url.pathname !== '/v1/completions') return request(url, options);
    throw new TypeError('the suite is broken on purpose');
  },
});
syncBuiltinESMExports();
