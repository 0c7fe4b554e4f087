/**
 * Keeps what a payer typed about themselves while they try again, also after a redirect to their bank and without
 * script: in an encrypted cookie of this payment's page that no script can read. It never contains card numbers or
 * other payment credentials.
 */
import { payerFields } from '@paywright/contract';
import type { Encrypter, EncryptionContext } from '../base/crypto/encryption.ts';
import { HOUR, SECOND } from '../base/async/time.ts';
import { toEchoed } from '../http/input/echo.ts';
import type { Ctx } from '../http/state.ts';

/** Values by field, and the chosen way to pay. */
export type Typed = Readonly<Record<string, string>>;

export interface TypedCookie {
  keep(ctx: Ctx, id: number, typed: Typed): void;
  /** Empty if nothing is stored, or if it cannot be decrypted any more. */
  read(ctx: Ctx, id: number): Typed;
  /** Deletes the cookie once there is nothing left to fill in. */
  forget(ctx: Ctx, id: number): void;
}

const name = 'typed';
const kept: readonly string[] = ['way', ...payerFields];
/** Browsers store 4096 characters, including name and attributes. */
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
        // Card numbers and secrets in the wrong field are not stored either.
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
        return {}; // The cookie is of another payment, of an old key, or not ours: the form starts empty.
      }
    },
    forget(ctx, id) {
      if (ctx.cookies.get(name, { signed: false }) !== undefined) set(ctx, id, '', 0);
    },
  };
}
