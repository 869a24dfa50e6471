import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';

// Preloaded by a test, so that the suite itself throws where it would send a request.
Object.assign(http, {
  request: () => {
    throw new TypeError('the suite is broken on purpose');
  },
});
syncBuiltinESMExports();
