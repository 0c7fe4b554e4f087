/** The names of address fields by country: a `ZIP code` in the United States is a `PIN code` in India. */
import { toCountry, type PayerField } from '@paywright/contract';
import type { Words } from '../html/words/index.ts';

type Region = keyof Words['regions'];
type Named = 'postalCode' | 'state';

const zip = 'zip';
const state = 'state';
const province = 'province';

/** Countries that are not listed have the name that `words.fields` gives. */
const names: Readonly<Record<Named, Readonly<Record<string, Region>>>> = {
  postalCode: {
    US: zip,
    PR: zip,
    GU: zip,
    VI: zip,
    AS: zip,
    MP: zip,
    IN: 'pin',
    BR: 'cep',
    IE: 'eircode',
    GB: 'postcode',
    GG: 'postcode',
    JE: 'postcode',
    IM: 'postcode',
    AU: 'postcode',
    NZ: 'postcode',
  },
  state: {
    US: state,
    AU: state,
    IN: state,
    BR: state,
    MX: state,
    CA: province,
    CN: province,
    IT: province,
    ES: province,
    TR: province,
    CR: province,
    JP: 'prefecture',
    AE: 'emirate',
  },
};

export function isNamedByCountry(field: string): field is Named {
  return Object.hasOwn(names, field);
}

/** The label of the field in this country. */
export function labelIn({ fields, regions }: Words, field: Named, country = ''): string {
  const region = names[field][toCountry(country)];
  return region === undefined ? fields[field] : regions[region];
}

/** The labels by country, for the script; the usual label is under `''`. */
export function labelsByCountry(words: Words, field: Named): Readonly<Record<string, string>> {
  const all = Object.keys(names[field]).map((country) => [country, labelIn(words, field, country)] as const);
  return Object.fromEntries([['', words.fields[field]], ...all.filter(([, label]) => label !== words.fields[field])]);
}

/** The country first, because the fields after it depend on it; in East Asia then from the large to the small. */
const usual: readonly PayerField[] = ['country', 'postalCode', 'city', 'address', 'state'];
const fromLarge: readonly PayerField[] = ['country', 'postalCode', 'state', 'city', 'address'];

export function addressFieldsIn(country = ''): readonly PayerField[] {
  return ['CN', 'JP', 'KR', 'TW'].includes(toCountry(country)) ? fromLarge : usual;
}
