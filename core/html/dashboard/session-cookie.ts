/** What is known of a session, in its cookie, encrypted: it outlives a restart, and is right on every host. */
import { sameText } from '@paywright/contract';
import * as v from 'valibot';
import type { Encrypter, EncryptionContext } from '../../base/crypto/encryption.ts';

export interface SessionCookie<T> {
  /** The `Set-Cookie` header; the browser forgets it after so many seconds. */
  set(session: T, seconds: number): string;
  /** Of the `Cookie` header; undefined where none is there, or one that is not ours. */
  read(cookies: string | undefined): T | undefined;
  /** The `Set-Cookie` header that ends it in this browser. */
  readonly ending: string;
}

export interface SessionCookieSetup<S extends v.GenericSchema> {
  readonly name: string;
  /** Below which it is sent. */
  readonly path: string;
  /** Browsers send a `Secure` cookie to this machine itself without TLS, and nowhere else. */
  readonly isSecure: boolean;
  readonly schema: S;
  /** What it is bound to. */
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
}: SessionCookieSetup<S>): SessionCookie<v.InferOutput<S>> {
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
        return undefined; // Made by somebody else, or under a key that is gone.
      }
    },

    ending: textOf('', 0),
  };
}

/** Whether a form was on a page of this session. */
export function isFormOf({ formToken }: { readonly formToken: string }, given: string | undefined): boolean {
  return given !== undefined && sameText(given, formToken);
}
