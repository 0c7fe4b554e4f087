/** The format of keys and of their ids. */
import { randomBytes } from 'node:crypto';
import { hash } from '@paywright/contract';
import type { Environment } from '../../base/environment.ts';

export function newKey(environment: Environment): string {
  return `gk_${environment}_${randomBytes(32).toString('base64url')}`;
}

export function newKeyId(): string {
  return `key_${randomBytes(8).toString('hex')}`;
}

/** The format differs from that of a merchant's key, so that neither is ever looked up as the other. */
export function newOperatorKey(): string {
  return `gk_ops_${randomBytes(32).toString('base64url')}`;
}

export function newOperatorKeyId(): string {
  return `op_${randomBytes(8).toString('hex')}`;
}

/** The stored form of a key. A key has 256 random bits, so a plain hash reveals nothing. */
export function toKeyHash(key: string): string {
  return hash('sha256', key).toString('hex');
}

/** Returns the environment of a key. Undefined if the text is not a key. */
export function readKeyEnvironment(text: string): Environment | undefined {
  const [, environment] = /^gk_(test|live)_[A-Za-z0-9_-]{43}$/.exec(text) ?? [];
  return environment as Environment | undefined;
}

export function isOperatorKey(text: string): boolean {
  return /^gk_ops_[A-Za-z0-9_-]{43}$/.test(text);
}

export function isOperatorKeyId(text: string): boolean {
  return /^op_[0-9a-f]{16}$/.test(text);
}

export function isKeyId(text: string): boolean {
  return /^key_[0-9a-f]{16}$/.test(text);
}
