/** The permissions of an API key. */
import { GatewayError, invalidField } from '../../base/errors.ts';

export const scopes = ['payments:write', 'requests:write', 'requests:read', 'notifications:write', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** What a key with the scope may do, as a sentence. */
export const scopeTexts: Readonly<Record<Scope, string>> = {
  'payments:write': 'Charge, confirm, capture and refund payments.',
  'requests:write': 'Create payment requests and cancel them.',
  'requests:read': 'Read payment requests, notifications and reports.',
  'notifications:write': 'Send notifications again.',
  admin: 'Reserved: no call needs it yet.',
};

/** The default scopes of a key: all except `admin`. */
export const defaultScopes: readonly Scope[] = scopes.filter((scope) => scope !== 'admin');

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}

/** Throws VAL002 for an unknown scope, and for an empty list, because such a key could do nothing. */
export function readScopes(given: readonly string[]): Scope[] {
  const known = given.filter((scope) => isScope(scope));
  if (known.length === 0 || known.length < given.length) {
    throw invalidField('scopes', given, `must be one or more of ${scopes.join(', ')}`);
  }
  return [...new Set(known)];
}

/** Throws AUTH002, with the name of the scope. No scope implies another one, not even `admin`. */
export function requireScope({ scopes: held }: { readonly scopes: readonly Scope[] }, scope: Scope): void {
  if (!held.includes(scope)) throw new GatewayError('FORBIDDEN', `the API key lacks the scope ${scope}`);
}
