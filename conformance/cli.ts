#!/usr/bin/env node
import { judgeCommand } from './cli/client.ts';
import { main, reportFault } from './cli/main.ts';
import { watchOutputs } from './cli/outputs.ts';

const outputs = watchOutputs(process);
try {
  const [, , word, ...rest] = process.argv;
  const run = word === 'client' ? judgeCommand(rest, process.env) : main(process.argv, process.env);
  process.exitCode = outputs.exitCode(await run);
} catch (error) {
  process.exitCode = reportFault(error);
}
