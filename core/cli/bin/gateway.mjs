#!/usr/bin/env node
// The earlier name of the command. Service units and scripts that name this file keep working.
import './paywright.mjs';
