#!/usr/bin/env node
import { main, reportFault } from './cli/main.ts';

try {
  process.exitCode = await main(process.argv, process.env);
} catch (error) {
  process.exitCode = reportFault(error);
}
