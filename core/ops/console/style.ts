/** The console's style sheet. */
import { readFileSync } from 'node:fs';
import { createAsset } from '../../http/pages/assets.ts';

/** The source, beside which the compiled files are not. */
const source = new URL('../../../../core/ops/console/console.css', import.meta.url);

export const style = createAsset('ops/assets/console', 'css', 'text/css; charset=utf-8', readFileSync(source, 'utf8'));
