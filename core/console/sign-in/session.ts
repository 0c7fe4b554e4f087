/**
 * Sessions of the console. The encrypted cookie holds the whole session, so the session survives a restart and is valid
 * on every host. The operator's key is looked up again for each request: if the key was revoked, or its operator signed
 * out after the session began, the cookie is not accepted.
 */
import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import type { Environment } from '../../base/environment.ts';
import type { Operator, Operators } from '../../engine/access/index.ts';
import type { Encrypter } from '../../base/crypto/encryption.ts';
import type { FormSession } from '../../html/components/form.ts';
import { createSessionCookie } from '../../html/components/session-cookie.ts';
import { HOUR, MINUTE, SECOND } from '../../base/async/time.ts';
import type { Visitor } from './single-sign-on.ts';

export interface Session extends FormSession {
  readonly operator: Operator;
  /** The renewed cookie, with the time of this request. */
  readonly cookie: string;
  /** What identified the operator: a key, or a proxy with single sign-on. */
  readonly by: 'key' | 'proxy';
  /** The mode that the operator works in. */
  readonly mode?: Environment;
  /** The numbers next to the links of the navigation, by section. */
  readonly counts?: Readonly<Record<string, number>>;
}

export interface Sessions {
  /** Returns the `Set-Cookie` header. Throws AUTH001 if the key is not valid. */
  begin(key: string): Promise<string>;
  /**
   * Undefined: there is no session, or it has ended. A user whom a proxy signs in (`visitor`) gets a session with the
   * first request, and cannot use a session that a key began.
   */
  read(cookies: string | undefined, visitor?: Visitor): Promise<Session | undefined>;
  /**
   * Returns the `Set-Cookie` header that ends the session in this browser. Every session of the same key ends with it,
   * on all hosts within 2 s, so a copied cookie is not accepted either. A session of single sign-on is not accepted
   * without the proxy.
   */
  end(session: Session): Promise<string>;
}

/** A session ends after this time without a request. */
const idleMs = 30 * MINUTE;
/** A session ends after this time in any case. */
const maxAgeMs = 12 * HOUR;

/** With single sign-on, `keyId` is empty. */
const SessionData = v.object({
  id: v.string(),
  keyId: v.string(),
  user: v.optional(v.string()),
  began: v.number(),
  seen: v.number(),
});
type SessionData = v.InferOutput<typeof SessionData>;

export interface SessionsDeps {
  readonly operators: Pick<Operators, 'authenticate' | 'active' | 'signOut'>;
  readonly encrypter: Encrypter;
  readonly now: () => Date;
}

export function createSessions({ operators, encrypter, now }: SessionsDeps): Sessions {
  const cookie = createSessionCookie({
    name: 'gateway_console',
    path: '/ops',
    isSecure: true,
    schema: SessionData,
    context: { collection: 'operators', id: 'console', member: 'session' },
    encrypter,
  });
  const toCookie = (session: SessionData): string => cookie.set(session, idleMs / SECOND);

  function present(session: SessionData, operator: Operator, by: Session['by']): Session {
    const formToken = encrypter.fingerprint(`console form ${session.id}`);
    return { operator, formToken, cookie: toCookie({ ...session, seen: now().getTime() }), by };
  }

  return {
    async begin(key) {
      const { keyId } = await operators.authenticate(key);
      const at = now().getTime();
      return toCookie({ id: randomUUID(), keyId, began: at, seen: at });
    },

    async read(cookies, visitor) {
      const stored = cookie.read(cookies);
      const at = now().getTime();
      const isExpired = !stored || at >= stored.seen + idleMs || at >= stored.began + maxAgeMs;
      if (visitor) {
        const isTheirs = !isExpired && stored.user === visitor.name;
        const own = isTheirs ? stored : { id: randomUUID(), keyId: '', user: visitor.name, began: at, seen: at };
        return present(own, { keyId: 'single sign-on', ...visitor }, 'proxy');
      }
      if (isExpired || stored.user !== undefined) return undefined;
      const operator = await operators.active(stored.keyId);
      if (!operator || (operator.signedOutAt && stored.began <= operator.signedOutAt.getTime())) return undefined;
      return present(stored, operator, 'key');
    },

    async end({ by, operator }) {
      if (by === 'key') await operators.signOut(operator.keyId);
      return cookie.ending;
    },
  };
}
