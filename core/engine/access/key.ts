/** What is known of an API key, and what can be done with keys. */
import type { Environment } from '../../base/environment.ts';
import type { Overlap } from './overlap.ts';
import type { Scope } from './scopes.ts';

/** As commands call the environment of a key: sandbox makes test keys, production live ones. */
export type KeyEnvironment = 'sandbox' | 'production';

export function toEnvironment(environment: KeyEnvironment): Environment {
  return environment === 'production' ? 'live' : 'test';
}

export interface NewKey {
  /** Found by exact name or made. */
  readonly owner: string;
  readonly environment: KeyEnvironment;
  readonly scopes?: readonly string[] | undefined;
  /** Requests a minute; absent: the limit of config, also when that changes. */
  readonly limit?: number | undefined;
  readonly expiresAt?: Date | undefined;
}

/** Shown once: the key cannot be had again. */
export interface CreatedKey {
  readonly key: string;
  readonly keyId: string;
  readonly ownerId: number;
  readonly webhookSecret: string;
}

export interface RotatedKey extends CreatedKey {
  /** When the replaced key ends. */
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
  /** To the minute. */
  readonly lastUsedAt: Date | null;
}

/** Who calls, once authenticated. */
export interface Authenticated {
  readonly keyId: string;
  readonly ownerId: number;
  readonly ownerName: string;
  readonly environment: Environment;
  readonly scopes: readonly Scope[];
  /** Requests a minute. */
  readonly limit: number;
}

/** The two headers as received. */
export interface Credentials {
  readonly apiKey?: string | undefined;
  readonly authorization?: string | undefined;
}

export interface Keys {
  /** Throws VAL002 on a wrong name, scope, limit or expiry. */
  create(input: NewKey): Promise<CreatedKey>;
  /** All keys, or those of one owner (NF001 where it does not exist), oldest first. */
  list(filter?: { readonly owner?: string | undefined }): Promise<KeyView[]>;
  /** NF001 where there is no such key. */
  get(keyId: string): Promise<KeyView>;
  /** Refused everywhere within 2 s. Revoking twice is once. NF001 where there is no such key. */
  revoke(keyId: string): Promise<void>;
  /**
   * A new key with the same settings, its expiry as far ahead as the old one's was; the old one ends with the overlap,
   * if not before. NF001 where there is no such key, VAL002 `keyId` where it is no longer active.
   */
  rotate(keyId: string, overlap?: Overlap): Promise<RotatedKey>;
  /** In force everywhere within 2 s. */
  setLimit(keyId: string, limit: number): Promise<void>;
  /** Throws AUTH001, which says why and never repeats the key. */
  authenticate(credentials: Credentials): Promise<Authenticated>;
}
