/**
 * What a payer typed about themselves stays theirs while they try again, also after the way to their bank and without
 * script: in a cookie of this payment's page, encrypted, that no script reads. Never what pays.
 */
import { payerFields } from '@paywright/contract';
import type { Encrypter, EncryptionContext } from '../base/crypto/encryption.ts';
import { HOUR, SECOND } from '../base/async/time.ts';
import { toEchoed } from '../http/input/echo.ts';
import type { Ctx } from '../http/state.ts';

/** By field; and the way to pay. */
export type Typed = Readonly<Record<string, string>>;

export interface TypedCookie {
  keep(ctx: Ctx, id: number, typed: Typed): void;
  /** Empty where nothing is kept, or where it cannot be read any more. */
  read(ctx: Ctx, id: number): Typed;
  /** Once nothing is to be filled in any more. */
  forget(ctx: Ctx, id: number): void;
}

const name = 'typed';
const kept: readonly string[] = ['way', ...payerFields];
/** A browser keeps 4096 characters, with name and attributes. */
const MAX_LENGTH = 3600;

export function createTypedCookie(encrypter: Pick<Encrypter, 'encrypt' | 'decrypt'>, publicUrl: string): TypedCookie {
  const { protocol, pathname } = new URL(publicUrl);
  const contextOf = (id: number): EncryptionContext => ({ collection: 'payPages', id, member: name });

  function set(ctx: Ctx, id: number, value: string, maxAgeSeconds: number): void {
    const path = `${pathname.replace(/\/$/, '')}/pay/${id}`;
    const secure = protocol === 'https:' ? '; Secure' : '';
    ctx.append(
      'Set-Cookie',
      `${name}=${value}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`,
    );
  }

  return {
    keep(ctx, id, typed) {
      const own = Object.entries(typed).filter(
        // What people put into the wrong field is not kept either.
        ([field, value]) => kept.includes(field) && value !== '' && toEchoed(value) === value,
      );
      const value = encrypter.encrypt(JSON.stringify(Object.fromEntries(own)), contextOf(id)).toString('base64url');
      if (value.length <= MAX_LENGTH) set(ctx, id, value, HOUR / SECOND);
    },
    read(ctx, id) {
      const value = ctx.cookies.get(name, { signed: false });
      if (!value) return {};
      try {
        return JSON.parse(encrypter.decrypt(Buffer.from(value, 'base64url'), contextOf(id)).toString()) as Typed;
      } catch {
        return {}; // Another payment's, an old key's, or not ours: the form is empty.
      }
    },
    forget(ctx, id) {
      if (ctx.cookies.get(name, { signed: false }) !== undefined) set(ctx, id, '', 0);
    },
  };
}
