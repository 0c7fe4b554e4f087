/** Warns of optional members about the payer that cannot be read. The payment continues without them. */
import { readBrowserInfo, readIpAddress, type BrowserInfo, type InputKind } from '@paywright/contract';
import type { Warn } from '../../base/warnings.ts';

/** Members that 3D Secure of a card demands of every browser. Some providers accept all of them or none. */
const needed = [
  'acceptHeader',
  'colorDepth',
  'language',
  'screenHeight',
  'screenWidth',
  'timezone',
  'userAgent',
] as const satisfies readonly (keyof BrowserInfo)[];

export function warnOfLeftOut(
  kind: InputKind,
  { ipAddress, browserInfo }: { readonly ipAddress?: string | null; readonly browserInfo?: BrowserInfo | undefined },
  warn: Warn,
): void {
  if (typeof ipAddress === 'string' && readIpAddress(ipAddress) === undefined)
    warn({ field: 'ipAddress', message: 'is not an IP address: it is left out, and risk rules do not count it' });
  if (!browserInfo) return;
  const known = readBrowserInfo(browserInfo) ?? {};
  for (const name of Object.keys(browserInfo))
    if (!Object.hasOwn(known, name)) warn({ field: `browserInfo.${name}`, message: 'cannot be read, and is left out' });
  const missing = kind === 'card' || kind === 'token' ? needed.filter((name) => known[name] === undefined) : [];
  if (missing.length > 0)
    warn({ field: 'browserInfo', message: `lacks ${missing.join(', ')}: some providers then get none of it` });
}
