/** Functions of the contract that the page shares with the server. `assets.ts` puts them before the other scripts. */
declare const toAsciiDigits: typeof import('../../contract/payer/digits.ts').toAsciiDigits;
declare const isBlank: typeof import('../../contract/payer/digits.ts').isBlank;
declare const readCode: typeof import('../../contract/payer/digits.ts').readCode;
declare const readPhone: typeof import('../../contract/payer/phone.ts').readPhone;
declare const isEmail: typeof import('../../contract/payer/email.ts').isEmail;
declare const toCountry: typeof import('../../contract/payer/country.ts').toCountry;
declare const existsIn: typeof import('../../contract/payer/address-rules.ts').existsIn;
declare const isRequiredIn: typeof import('../../contract/payer/address-rules.ts').isRequiredIn;
declare const readExpiry: typeof import('../../contract/payer/expiry.ts').readExpiry;
declare const isExpired: typeof import('../../contract/payer/expiry.ts').isExpired;
declare const writeExpiry: typeof import('../../contract/payer/expiry.ts').writeExpiry;
declare const passesLuhn: typeof import('../../contract/payer/card-number.ts').passesLuhn;
declare const cardBrandOf: typeof import('../../contract/payer/card-number.ts').cardBrandOf;
