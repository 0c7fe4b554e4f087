/**
 * Which countries require a postal code or a state in an address, and which have none. Source: the members `require`
 * and `fmt` in the address metadata of Google's libaddressinput, June 2025. Everywhere else an address may be whole
 * without it.
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

const withoutPostalCode = new Set(
  (
    'AE AG AO AW BF BI BJ BO BQ BS BW BZ CD CF CG CI CK CM CW DJ DM ER FJ GA GD GH GM GQ GY HK JM KI KM KN LC LY ML MO MR ' +
    'MS MW NR NU PA PS QA RW SB SC SL SR SS ST SX SY TD TF TG TK TL TO TT TV UG VU WS YE ZW'
  ).split(' '),
);

/**
 * True if a form should ask for the field in this country: a state only where an address is not whole without it, a
 * postal code everywhere except where there is none. Since contract 2.1.
 */
export function existsIn(country: string, field: 'postalCode' | 'state'): boolean {
  return field === 'state' ? withState.has(country) : !withoutPostalCode.has(country);
}

/** True if an address in this country is not whole without the field. `country` is a code as `toCountry` returns it. */
export function isRequiredIn(country: string, field: 'postalCode' | 'state'): boolean {
  return (field === 'state' ? withState : withPostalCode).has(country);
}
