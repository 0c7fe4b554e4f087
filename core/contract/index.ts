/**
 * The public surface of the contract. Adapters import from here and from no other module of the gateway.
 * `docs/exports.md` lists the exports for authors of adapters. The names that `core/index.ts` exports are only for
 * core: core imports them from `@paywright/contract/core`, and they stay exported from here until 3.0.
 */
export * as v from 'valibot';
export * from './adapter.ts';
export * from './callback.ts';
export * from './event.ts';
export * from './outcome.ts';
export * from './payment.ts';
export * from './provider.ts';
export * from './reference.ts';
export * from './core/fitness.ts';
export * from './core/version.ts';
export * from './http/defined.ts';
export * from './http/error-answers.ts';
export * from './http/http-request.ts';
export * from './http/oauth-token.ts';
export * from './http/redirect.ts';
export * from './http/status-outcome.ts';
export * from './money/currencies.ts';
export * from './money/minor-bound.ts';
export * from './money/money.ts';
export * from './payer/address-rules.ts';
export * from './payer/brands.ts';
export * from './payer/browser-info.ts';
export * from './payer/card-number.ts';
export * from './payer/country.ts';
export * from './payer/digits.ts';
export * from './payer/email.ts';
export * from './payer/expiry.ts';
export * from './payer/ip-address.ts';
export * from './payer/narrow.ts';
export * from './payer/payer.ts';
export * from './payer/phone.ts';
export * from './proof/basic-auth.ts';
export * from './proof/options.ts';
export * from './proof/signatures.ts';
export * from './read/form-message.ts';
export * from './read/form.ts';
export * from './read/in-slices.ts';
export * from './read/json-object.ts';
export * from './read/json-schemas.ts';
export * from './read/json-values.ts';
export * from './read/json.ts';
export * from './read/rfc3339.ts';
export * from './read/web-address.ts';
export * from './read/xml.ts';
export * from './sandbox-rule.ts';
export * from './sandbox/sandbox-contract.ts';
export * from './statuses/decline-codes.ts';
export * from './statuses/event-decline.ts';
export * from './statuses/event-statuses.ts';
