/** Examples of phone numbers with the country code, from ranges that are typical of mobile phones in the country. */
import { toCountry } from '@paywright/contract';

const examples: Readonly<Record<string, string>> = {
  AE: '+971 50 123 4567',
  AR: '+54 9 11 2345 6789',
  AT: '+43 664 123456',
  AU: '+61 412 345 678',
  BE: '+32 470 12 34 56',
  BR: '+55 11 96123 4567',
  CA: '+1 506 234 5678',
  CH: '+41 78 123 45 67',
  CL: '+56 9 6123 4567',
  CN: '+86 131 2345 6789',
  CO: '+57 321 123 4567',
  CZ: '+420 601 123 456',
  DE: '+49 1512 3456789',
  DK: '+45 32 12 34 56',
  EG: '+20 100 123 4567',
  ES: '+34 612 34 56 78',
  FI: '+358 41 2345678',
  FR: '+33 6 12 34 56 78',
  GB: '+44 7400 123456',
  GR: '+30 691 234 5678',
  HK: '+852 5123 4567',
  HU: '+36 20 123 4567',
  ID: '+62 812 345 678',
  IE: '+353 85 012 3456',
  IL: '+972 50 234 5678',
  IN: '+91 81234 56789',
  IT: '+39 312 345 6789',
  JP: '+81 90 1234 5678',
  KE: '+254 712 123456',
  KR: '+82 10 2000 0000',
  KW: '+965 500 12345',
  MA: '+212 650 123456',
  MX: '+52 222 123 4567',
  MY: '+60 12 345 6789',
  NG: '+234 802 123 4567',
  NL: '+31 6 12345678',
  NO: '+47 406 12 345',
  NZ: '+64 21 123 4567',
  PE: '+51 912 345 678',
  PH: '+63 905 123 4567',
  PK: '+92 301 2345678',
  PL: '+48 512 345 678',
  PT: '+351 912 345 678',
  QA: '+974 3312 3456',
  RO: '+40 712 034 567',
  SA: '+966 51 234 5678',
  SE: '+46 70 123 45 67',
  SG: '+65 8123 4567',
  TH: '+66 81 234 5678',
  TR: '+90 501 234 56 78',
  TW: '+886 912 345 678',
  UA: '+380 50 123 4567',
  US: '+1 201 555 0123',
  VN: '+84 91 234 56 78',
  ZA: '+27 71 123 4567',
};

/** The country of a language's example, if neither the payer's country nor the browser's region is known. */
const usual: Readonly<Record<string, string>> = { es: 'ES', pt: 'PT', de: 'DE', hi: 'IN', ar: 'AE' };

/** `locale` is the payer's language with the browser's region: `en-IN`. */
export function phoneExample(country: string | undefined, locale: string): string {
  const { language, region } = new Intl.Locale(locale);
  const known = [country, region, usual[language], 'GB'].find((one) => one !== undefined && toCountry(one) in examples);
  return examples[toCountry(known ?? 'GB')] ?? '';
}
