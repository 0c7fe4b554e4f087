/**
 * An encrypted cookie of one payment's page. No script can read it, and it is of no use for any other payment.
 */
import type { Encrypter, EncryptionContext } from '../base/crypto/encryption.ts';
import type { Ctx } from '../http/state.ts';

export interface PageCookie {
  /** A value that is too long for a browser is not kept. */
  keep(ctx: Ctx, id: number, value: string, maxAgeSeconds: number): void;
  /** Undefined if nothing is stored, or if it cannot be decrypted: it is of another payment or key, or not ours. */
  read(ctx: Ctx, id: number): string | undefined;
  forget(ctx: Ctx, id: number): void;
}

/** Browsers store 4096 characters, including name and attributes. */
const MAX_LENGTH = 3600;

export function createPageCookie(
  name: string,
  encrypter: Pick<Encrypter, 'encrypt' | 'decrypt'>,
  publicUrl: string,
): PageCookie {
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
    keep(ctx, id, text, maxAgeSeconds) {
      const value = encrypter.encrypt(text, contextOf(id)).toString('base64url');
      if (value.length <= MAX_LENGTH) set(ctx, id, value, maxAgeSeconds);
    },
    read(ctx, id) {
      const value = ctx.cookies.get(name, { signed: false });
      if (!value) return undefined;
      try {
        return encrypter.decrypt(Buffer.from(value, 'base64url'), contextOf(id)).toString();
      } catch {
        return undefined;
      }
    },
    forget(ctx, id) {
      if (ctx.cookies.get(name, { signed: false }) !== undefined) set(ctx, id, '', 0);
    },
  };
}
