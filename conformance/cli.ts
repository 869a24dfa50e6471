#!/usr/bin/env node
import { tolerateClosedPipe } from './cli/closed-pipe.ts';
import { main, reportFault } from './cli/main.ts';

tolerateClosedPipe(process.stdout, process.stderr);
try {
  process.exitCode = await main(process.argv, process.env);
} catch (error) {
  process.exitCode = reportFault(error);
}
