#!/usr/bin/env node
import { main, reportFault } from './cli/main.ts';
import { watchOutputs } from './cli/outputs.ts';

const outputs = watchOutputs(process);
try {
  process.exitCode = outputs.exitCode(await main(process.argv, process.env));
} catch (error) {
  process.exitCode = reportFault(error);
}
