/** What is known of the payer's browser, for 3D Secure. One odd member must not cost the provider the other ones. */
import { defined } from '../http/defined.ts';
import type { BrowserInfo } from '../payment.ts';
import { isBlank, toAsciiDigits } from './digits.ts';
import { readIpAddress } from './ip-address.ts';

/**
 * The browser data as providers and issuers can read it (EMV 3-D Secure):
 * - sizes, colour depth and time zone are whole numbers. Browsers report fractions of a pixel, which are rounded;
 * - `language` is one language: the first of an `Accept-Language` header, and absent for `*`;
 * - `javaEnabled` is false if it is absent, because browsers do not run Java any more;
 * - `ip` is an address in its canonical spelling.
 *
 * A member that is blank or cannot be read is left out. Undefined if no member is left.
 */
export function readBrowserInfo(given: BrowserInfo): BrowserInfo | undefined {
  const { acceptHeader, userAgent, javaEnabled, javascriptEnabled } = given;
  const known = defined({
    acceptHeader: isBlank(acceptHeader) ? undefined : acceptHeader,
    colorDepth: readWhole(given.colorDepth),
    ip: readIpAddress(given.ip),
    javaEnabled,
    javascriptEnabled,
    language: readLanguage(given.language),
    screenHeight: readWhole(given.screenHeight),
    screenWidth: readWhole(given.screenWidth),
    timezone: readWhole(given.timezone, -Infinity),
    userAgent: isBlank(userAgent) ? undefined : userAgent,
  });
  return Object.keys(known).length === 0 ? undefined : { ...known, javaEnabled: javaEnabled ?? false };
}

function readWhole(text = '', min = 0): string | undefined {
  const plain = toAsciiDigits(text).trim();
  if (!/^[+-]?\d{1,6}(?:\.\d{1,20})?$/.test(plain)) return undefined;
  const value = Math.round(Number(plain));
  // Adding zero turns −0 into 0.
  return value >= min ? String(value + 0) : undefined;
}

/** More languages than a browser sends. */
const maxLanguages = 50;

/** The first language of a list, in the order of an `Accept-Language` header. Undefined for `*` and for other text. */
export function readLanguage(text = ''): string | undefined {
  const languages = text.split(',', maxLanguages).map((entry) => (entry.split(';', 1)[0] ?? '').trim());
  return languages
    .map((one) => one.replaceAll('_', '-'))
    .find((one) => /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}$/.test(one));
}
