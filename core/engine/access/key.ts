/** The types of API keys and of their service. */
import type { Environment } from '../../base/environment.ts';
import type { Overlap } from './overlap.ts';
import type { Scope } from './scopes.ts';

/** The environment of a key as commands name it: `sandbox` creates test keys, `production` live keys. */
export type KeyEnvironment = 'sandbox' | 'production';

export function toEnvironment(environment: KeyEnvironment): Environment {
  return environment === 'production' ? 'live' : 'test';
}

export interface NewKey {
  /** The exact name. The owner is created if it does not exist. */
  readonly owner: string;
  readonly environment: KeyEnvironment;
  readonly scopes?: readonly string[] | undefined;
  /** Requests per minute. Absent: the limit in config, including later changes to it. */
  readonly limit?: number | undefined;
  readonly expiresAt?: Date | undefined;
}

/** A new key. It is shown only once, because it cannot be read again. */
export interface CreatedKey {
  readonly key: string;
  readonly keyId: string;
  readonly ownerId: number;
  readonly webhookSecret: string;
}

export interface RotatedKey extends CreatedKey {
  /** When the replaced key expires. */
  readonly previousValidUntil: Date;
}

export interface KeyView {
  readonly keyId: string;
  readonly ownerId: number;
  readonly ownerName: string;
  readonly environment: KeyEnvironment;
  readonly state: 'active' | 'expired' | 'revoked';
  readonly scopes: readonly Scope[];
  readonly limit: number;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** Accurate to a minute. */
  readonly lastUsedAt: Date | null;
}

/** The authenticated caller. */
export interface Authenticated {
  readonly keyId: string;
  readonly ownerId: number;
  readonly ownerName: string;
  readonly environment: Environment;
  readonly scopes: readonly Scope[];
  /** Requests per minute. */
  readonly limit: number;
}

/** The two headers that can hold a key, as received. */
export interface Credentials {
  readonly apiKey?: string | undefined;
  readonly authorization?: string | undefined;
}

export interface Keys {
  /** Throws VAL002 for an invalid name, scope, limit or expiry. */
  create(input: NewKey): Promise<CreatedKey>;
  /** All keys, or those of one owner, oldest first. Throws NF001 for an unknown `owner`; `ownerId` may be removed. */
  list(filter?: { readonly owner?: string | undefined; readonly ownerId?: number }): Promise<KeyView[]>;
  /** Throws NF001 for an unknown key. */
  get(keyId: string): Promise<KeyView>;
  /** All processes refuse the key within 2 s. May be repeated. Throws NF001 for an unknown key. */
  revoke(keyId: string): Promise<void>;
  /**
   * Creates a new key with the same settings and the same time until its expiry. The old key expires at the end of the
   * overlap, unless it expires earlier. Throws NF001 for an unknown key, and VAL002 `keyId` for a key that is no longer
   * active.
   */
  rotate(keyId: string, overlap?: Overlap): Promise<RotatedKey>;
  /** All processes apply the limit within 2 s. */
  setLimit(keyId: string, limit: number): Promise<void>;
  /** Throws AUTH001, with the reason and without the key. */
  authenticate(credentials: Credentials): Promise<Authenticated>;
}
