#!/usr/bin/env node
import { processTerminal, runCommand } from '../dist/command.js';

process.exitCode = await runCommand(process.argv.slice(2), processTerminal());
