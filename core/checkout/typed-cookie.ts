/**
 * Keeps what a payer typed about themselves while they try again, also after a redirect to their bank and without
 * script: in an encrypted cookie of this payment's page that no script can read. It never contains card numbers or
 * other payment credentials.
 */
import { payerFields } from '@paywright/contract';
import { HOUR, SECOND } from '../base/async/time.ts';
import { toEchoed } from '../http/input/echo.ts';
import type { Ctx } from '../http/state.ts';
import type { PageCookie } from './page-cookie.ts';

/** Values by field, and the chosen way to pay. */
export type Typed = Readonly<Record<string, string>>;

export interface TypedCookie {
  keep(ctx: Ctx, id: number, typed: Typed): void;
  /** Empty if nothing is stored, or if it cannot be decrypted any more. */
  read(ctx: Ctx, id: number): Typed;
  /** Deletes the cookie once there is nothing left to fill in. */
  forget(ctx: Ctx, id: number): void;
}

const kept: readonly string[] = ['way', ...payerFields];

export function createTypedCookie(cookie: PageCookie): TypedCookie {
  return {
    keep(ctx, id, typed) {
      const own = Object.entries(typed).filter(
        // Card numbers and secrets in the wrong field are not stored either.
        ([field, value]) => kept.includes(field) && value !== '' && toEchoed(value) === value,
      );
      cookie.keep(ctx, id, JSON.stringify(Object.fromEntries(own)), HOUR / SECOND);
    },
    read: (ctx, id) => JSON.parse(cookie.read(ctx, id) ?? '{}') as Typed, // We encrypted it ourselves.
    forget: (ctx, id) => cookie.forget(ctx, id),
  };
}
