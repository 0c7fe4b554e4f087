/**
 * Which countries require a postal code or a state in an address. Source: the member `require` in the address metadata
 * of Google's libaddressinput, June 2025. Everywhere else an address may be whole without it.
 */

const withPostalCode = new Set(
  (
    'AS AT AU AX BE BL BR CA CH CN CZ DE DK EE ES FI FK FM FR GB GF GG GL GP GR GS GU HU IM IN IO IT JE JP KR LI LT LU LV ' +
    'MF MH MP MQ MX MY NC NL NO NZ PF PL PM PN PR PT PW RE RO RU SE SG SH SJ SK SM TC TR TW UA US VI WF YT ZA'
  ).split(' '),
);

const withState = new Set(
  'AE AS AU BR CA CN CO CR ES FM HK HN ID IN IQ IT JM JP KN KR KY MH MP MX NR PF PG PW RU SO SV TW UM US VE VI VN'.split(
    ' ',
  ),
);

/** True if an address in this country is not whole without the field. `country` is a code as `toCountry` returns it. */
export function isRequiredIn(country: string, field: 'postalCode' | 'state'): boolean {
  return (field === 'state' ? withState : withPostalCode).has(country);
}
