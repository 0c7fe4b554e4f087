/** The public surface of the contract. Adapters import from here, and from nowhere else of ours. */
export * as v from 'valibot';
export * from './adapter.ts';
export * from './any-base64.ts';
export * from './callback.ts';
export * from './currencies.ts';
export * from './event.ts';
export * from './form.ts';
export * from './json.ts';
export * from './json-schemas.ts';
export * from './minor-bound.ts';
export * from './money.ts';
export * from './options.ts';
export * from './outcome.ts';
export * from './payment.ts';
export * from './provider.ts';
export * from './reference.ts';
export * from './sandbox-contract.ts';
export * from './signatures.ts';
