/** Authentication, rate limits and idempotency. */
export * from './access-actions.ts';
export * from './brand.ts';
export * from './create-access.ts';
export * from './idempotency.ts';
export * from './key.ts';
export * from './keys.ts';
export type { LogoType } from './logo-image.ts';
export * from './minute-budget.ts';
export * from './operators.ts';
export * from './owner-ranges.ts';
export { readDefaults as checkDefaults } from './owner-defaults.ts';
export * from './owners.ts';
export * from './portal-links.ts';
export * from './rate-limiter.ts';
export * from './request-fingerprint.ts';
export * from './saved-filters.ts';
export * from './scopes.ts';
export type { Overlap } from './overlap.ts';
