#!/usr/bin/env node
import { main } from './cli/program.ts';

// Whoever reads the output may leave early (`sqlenv ... | head`); that is no failure of ours.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

process.exitCode = await main(process.argv.slice(2));
