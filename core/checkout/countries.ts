/** Countries and territories of payers: the officially assigned codes of ISO 3166-1, and XK for Kosovo (CLDR). */
const codes = (
  'AD AE AF AG AI AL AM AO AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BW BY BZ CA CC CD CF CG ' +
  'CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH ' +
  'GI GL GM GN GP GQ GR GS GT GU GW GY HK HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW ' +
  'KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF ' +
  'NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL ' +
  'SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF ' +
  'WS XK YE YT ZA ZM ZW'
).split(' ');

/** Currencies whose payers live in one country: the language of a browser says less. */
const homes: Readonly<Record<string, string>> = { INR: 'IN' };

/**
 * The country in which a payer probably lives: the home of the currency, else the first region that the browser names,
 * such as `PT` of `pt-PT`. `languages`: the tags of `Accept-Language`, the preferred one first.
 */
export function likelyCountry(languages: readonly string[], currency: string): string | undefined {
  const regions = languages.map((tag) => /^[a-z]{2,3}(?:-[a-z]{4})?-([a-z]{2})$/i.exec(tag)?.[1]?.toUpperCase());
  return homes[currency] ?? regions.find((region) => region !== undefined && codes.includes(region));
}

export interface Country {
  readonly code: string;
  readonly name: string;
}

const sorted = new Map<string, readonly Country[]>();

/** All countries with their names in this language, sorted as the language sorts. */
export function countriesIn(language: string): readonly Country[] {
  const known = sorted.get(language);
  if (known) return known;
  const names = new Intl.DisplayNames(language, { type: 'region' });
  const compare = new Intl.Collator(language).compare;
  const countries = codes
    .map((code) => ({ code, name: names.of(code) ?? code }))
    .toSorted((left, right) => compare(left.name, right.name));
  sorted.set(language, countries);
  return countries;
}
