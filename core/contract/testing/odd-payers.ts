// cspell:ignoreRegExp /[^\x00-\x7f]\S*/g
// cspell:ignore rruga agim ramadani prishtina meera nchen
/**
 * Payers that the interface allows and that providers stumble over. The kit pays as each of them at the package's own
 * sandbox. Values are as merchants send them: core reads them with `readPayer` and `readBrowserInfo`.
 */
import type { BrowserInfo, PayerFields } from '../payment.ts';

export interface OddPayer {
  readonly title: string;
  readonly payer: Partial<PayerFields> & { readonly ipAddress?: string | null };
  readonly browserInfo?: BrowserInfo;
}

const unitedStates = { address: '350 Fifth Avenue', city: 'New York', state: 'NY', postalCode: '10118', country: 'US' };
const kosovo = {
  address: 'Rruga Agim Ramadani 15',
  city: 'Prishtina',
  state: 'XK',
  postalCode: '10000',
  country: 'XK',
};
const browserInfo: BrowserInfo = {
  acceptHeader: 'text/html',
  colorDepth: '24',
  javaEnabled: false,
  javascriptEnabled: true,
  language: 'en-US',
  screenHeight: '1080',
  screenWidth: '1920',
  timezone: '-60',
  userAgent: 'Mozilla/5.0',
};

const named = (names: readonly string[]): OddPayer[] =>
  names.map((name) => ({ title: `named ${JSON.stringify(name)}`, payer: { name } }));
const calledAt = (numbers: readonly string[]): OddPayer[] =>
  numbers.map((phoneNumber) => ({
    title: `with the phone number ${JSON.stringify(phoneNumber)}`,
    payer: { phoneNumber },
  }));
const from = (countries: readonly string[]): OddPayer[] =>
  countries.map((country) => ({ title: `from the country ${JSON.stringify(country)}`, payer: { country } }));
const at = (addresses: readonly (string | null)[]): OddPayer[] =>
  addresses.map((ipAddress) => ({ title: `at the address ${JSON.stringify(ipAddress)}`, payer: { ipAddress } }));
const mailed = (emails: readonly string[]): OddPayer[] =>
  emails.map((email) => ({ title: `with the e-mail address ${JSON.stringify(email)}`, payer: { email } }));
const seenBy = (title: string, members: BrowserInfo): OddPayer => ({ title, payer: {}, browserInfo: members });

/** The longest values that the interface allows, of this character. */
const longest = (character: string): OddPayer['payer'] => ({
  name: character.repeat(100),
  address: `${character.repeat(97)} 12`,
  city: character.repeat(50),
  state: character.repeat(50),
  postalCode: character.repeat(10),
});

export const oddPayers: readonly OddPayer[] = [
  {
    title: 'without any value',
    payer: {
      name: '',
      phoneNumber: ' '.repeat(10),
      address: '',
      city: '',
      state: ' ',
      postalCode: '',
      country: '  ',
      ipAddress: '',
    },
  },
  {
    title: 'with invisible characters only',
    payer: { name: '\u00a0\u200b', address: '\t\n', city: '\u3000', state: '\u200e', postalCode: '\u00a0' },
  },
  { title: 'without a city', payer: { city: '' } },
  { title: 'without a postal code and a state', payer: { country: 'HK', postalCode: '', state: ' ' } },
  { title: 'with the longest values', payer: { ...longest('x'), phoneNumber: '+1234567890123' } },
  { title: 'with the longest values of two code units', payer: longest('😀') },
  { title: 'with the longest values of many bytes', payer: longest('राव'.slice(0, 1)) },
  {
    title: 'with line ends and control characters',
    payer: { name: 'Ann\r\nLee', address: 'A | B\n12\u0000', city: 'X\u0007' },
  },
  { title: 'with a lone surrogate', payer: { name: 'Ann \ud83d', address: 'Rua \udc00 12', city: 'Lisboa\ud800' } },
  { title: 'with markup', payer: { name: `"Ann" <b>&amp;'Lee'`, address: 'A&B=C;D+E%F 12', city: '{"x":1}' } },
  {
    title: 'of another script',
    payer: {
      name: 'मीरा राव',
      address: 'गांधी मार्ग १२',
      city: 'दिल्ली',
      state: 'दिल्ली',
      postalCode: '११००११',
      country: 'IN',
    },
  },
  {
    title: 'of a script that is written from right to left',
    payer: { name: 'ליאת כהן', address: 'הרצל 12', city: 'חיפה' },
  },
  ...named(['B', 'Bo', 'Rao, Meera', 'O’Neil-Sousa', 'Łukasz', '12', '-']),
  ...mailed([
    `${'a'.repeat(40)}@${'b'.repeat(50)}.example`,
    'info@münchen.example',
    'info@डाटामेल.भारत',
    'δοκιμή@παράδειγμα.example',
    '"ann lee"@shop.example',
  ]),
  ...calledAt([
    '+91 9638544240',
    '(963)8544240',
    '00919638544240',
    '0963854424',
    '+351.912.345',
    '٠٩٦٣٨٥٤٤٢٤٠',
    'none given',
    '+0000000000',
  ]),
  { title: 'from Kosovo', payer: kosovo },
  ...from(['pt', 'UK', 'EL', '??', '12', 'ZZ', 'EU', 'QQ', 'éé']),
  {
    title: 'from the United States with nine digits of postal code',
    payer: { ...unitedStates, postalCode: '10118-0110' },
  },
  { title: 'from the United States with a written-out state', payer: { ...unitedStates, state: 'New York' } },
  { title: 'from the United States without a state', payer: { ...unitedStates, state: ' ' } },
  {
    title: 'from Canada with a long postal code',
    payer: { ...unitedStates, country: 'CA', state: 'ON', postalCode: 'K1A  0B1  ' },
  },
  { title: 'whose address has no house number', payer: { address: 'Rua Augusta' } },
  { title: 'whose address is a number', payer: { address: '12' } },
  ...at([
    null,
    'unknown',
    '203.0.113.9, 10.0.0.4',
    '203.0.113.9:5555',
    '[2001:db8::7]:443',
    '2001:0DB8:0:0:0:0:0:7',
    'fe80::1%eth0',
    '::ffff:203.0.113.9',
    '999.1.1.1',
  ]),
  seenBy('whose browser reports everything', browserInfo),
  seenBy('whose browser reports fractions of a pixel', {
    ...browserInfo,
    screenWidth: '411.4285',
    screenHeight: '731.4',
  }),
  seenBy('whose browser accepts any language', { ...browserInfo, language: '*' }),
  seenBy('whose browser reports nothing but its name', { userAgent: 'Mozilla/5.0' }),
  seenBy('whose browser reports odd values', {
    ...browserInfo,
    colorDepth: 'many',
    timezone: '',
    userAgent: ' '.repeat(3),
    ip: 'unknown',
  }),
  seenBy('whose browser has a long name', {
    ...browserInfo,
    userAgent: `Mozilla/5.0 ${'x'.repeat(3000)}`,
    acceptHeader: 'y'.repeat(3000),
  }),
];
