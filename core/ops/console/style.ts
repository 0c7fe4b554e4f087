/** The console's style sheet. Its address changes with its content, so that browsers keep it for ever. */
import { readFileSync } from 'node:fs';
import { hash } from '@gateway/contract';

/** The source, beside which the compiled files are not. */
const source = new URL('../../../../core/ops/console/console.css', import.meta.url);
const text = readFileSync(source, 'utf8');

export const style = {
  path: `/ops/assets/console.${hash('sha256', text).toString('hex').slice(0, 12)}.css`,
  text,
} as const;
