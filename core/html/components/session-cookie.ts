/**
 * Keeps the data of a session in an encrypted cookie, so that the session survives a restart and is valid on every
 * host.
 */
import { sameText } from '@paywright/contract';
import * as v from 'valibot';
import type { Encrypter, EncryptionContext } from '../../base/crypto/encryption.ts';

export interface SessionCookie<T> {
  /** The `Set-Cookie` header. The browser deletes the cookie after `seconds`. */
  set(session: T, seconds: number): string;
  /** Reads the `Cookie` header. Undefined if it has no cookie of ours. */
  read(cookies: string | undefined): T | undefined;
  /** The `Set-Cookie` header that deletes the cookie. */
  readonly ending: string;
}

export interface SessionCookieOptions<S extends v.GenericSchema> {
  readonly name: string;
  /** The path below which browsers send the cookie. */
  readonly path: string;
  /** Browsers send a `Secure` cookie without TLS only to this machine itself. */
  readonly isSecure: boolean;
  readonly schema: S;
  /** The encryption context that the cookie is bound to. */
  readonly context: EncryptionContext;
  readonly encrypter: Pick<Encrypter, 'encrypt' | 'decrypt'>;
}

export function createSessionCookie<S extends v.GenericSchema>({
  name,
  path,
  isSecure,
  schema,
  context,
  encrypter,
}: SessionCookieOptions<S>): SessionCookie<v.InferOutput<S>> {
  const textOf = (value: string, seconds: number): string =>
    `${name}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; ${isSecure ? 'Secure; ' : ''}SameSite=Strict`;

  function valueIn(cookies: string | undefined): string | undefined {
    const own = cookies
      ?.split(';')
      .map((one) => one.trim())
      .find((one) => one.startsWith(`${name}=`));
    return own?.slice(name.length + 1) || undefined;
  }

  return {
    set: (session, seconds) =>
      textOf(encrypter.encrypt(JSON.stringify(session), context).toString('base64url'), seconds),

    read(cookies) {
      const value = valueIn(cookies);
      if (value === undefined) return undefined;
      try {
        const plain = encrypter.decrypt(Buffer.from(value, 'base64url'), context).toString();
        const read = v.safeParse(schema, JSON.parse(plain));
        return read.success ? read.output : undefined;
      } catch {
        return undefined; // Another system made the cookie, or its key no longer exists.
      }
    },

    ending: textOf('', 0),
  };
}

/** True if the form was on a page of this session. */
export function isFormOf({ formToken }: { readonly formToken: string }, given: string | undefined): boolean {
  return given !== undefined && sameText(given, formToken);
}
