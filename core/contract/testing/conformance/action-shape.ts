/** What an action must satisfy so that core, the payer's page and the merchant can follow it. */
import type { ProviderAdapter } from '../../adapter.ts';
import type { Action } from '../../outcome.ts';
import { demand } from './kit.ts';

/** The largest text of a QR code with the error correction of the payer's page, in bytes of UTF-8. */
const maxCodeBytes = 2331;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.0+)?Z$/;

/** `name`: the name of the vector. */
export function demandAction<Options>(adapter: ProviderAdapter<Options>, name: string, action: Action): void {
  if ('expiry' in action) {
    demand(
      instant.test(action.expiry) && !Number.isNaN(Date.parse(action.expiry)),
      `"${name}" gives an action with the expiry ${JSON.stringify(action.expiry)}`,
      'write the time in UTC with `writeRfc3339`: `2026-03-01T10:10:10Z`',
    );
  }
  if (action.type === 'qr') demandCode(name, action);
  if (action.type === 'redirect') demandRedirect(adapter, name, action);
}

function demandCode(name: string, { text, app }: Extract<Action, { type: 'qr' }>): void {
  demand(
    text.trim() !== '',
    `"${name}" gives a code without text`,
    'give the text that the provider names, or no action',
  );
  const bytes = Buffer.byteLength(text);
  demand(
    bytes <= maxCodeBytes,
    `"${name}" gives a code of ${bytes} bytes, and a QR code holds ${maxCodeBytes}`,
    'give the text that the app scans, not a picture of the code',
  );
  demand(
    app === undefined || app.trim() !== '',
    `"${name}" gives a code with an empty \`app\``,
    'name the app, or leave `app` out: the page then shows the title of the way',
  );
}

function demandRedirect<Options>(
  adapter: ProviderAdapter<Options>,
  name: string,
  { completesOnReturn, transactionId, referrer }: Extract<Action, { type: 'redirect' }>,
): void {
  demand(
    !completesOnReturn || 'complete' in adapter,
    `"${name}" gives a redirect with \`completesOnReturn\`, and there is no \`complete\``,
    'add `complete`, or leave `completesOnReturn` out: core then fetches the status',
  );
  demand(
    !completesOnReturn || transactionId === undefined,
    `"${name}" gives a redirect with \`completesOnReturn\` and a \`transactionId\``,
    'a 3D Secure step has a `transactionId` and needs no `completesOnReturn`; leave the other one out',
  );
  demand(
    referrer === undefined || referrer === 'origin',
    `"${name}" gives a redirect with the referrer ${JSON.stringify(referrer)}`,
    'set `origin`, or leave `referrer` out: the page then sends no `Referer`',
  );
}
