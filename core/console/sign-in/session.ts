/**
 * Who is signed in to the console. All that is known of a session is in its cookie, encrypted: it outlives a restart and is
 * right on every host. The operator's key is looked up anew with each request: where it was revoked, or its operator signed
 * out since the session began, the cookie opens nothing.
 */
import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import type { Operator, Operators } from '../../engine/access/index.ts';
import type { Encrypter } from '../../base/crypto/encryption.ts';
import { createSessionCookie } from '../../html/dashboard/session-cookie.ts';
import { HOUR, MINUTE, SECOND } from '../../base/async/time.ts';
import type { Visitor } from './single-sign-on.ts';

export interface Session {
  readonly operator: Operator;
  /** In every form of this session's pages: another site cannot know it. */
  readonly formToken: string;
  /** The cookie once more, with the time of this request. */
  readonly cookie: string;
  /** Who said who it is: a key of an operator, or a proxy in front. */
  readonly by: 'key' | 'proxy';
}

export interface Sessions {
  /** Gives the `Set-Cookie` header. Throws AUTH001 where the key opens nothing. */
  begin(key: string): Promise<string>;
  /**
   * Undefined: nobody is signed in, or no longer. Whom a proxy signs in (`visitor`) begins a session with the first request;
   * that of a key is none of theirs.
   */
  read(cookies: string | undefined, visitor?: Visitor): Promise<Session | undefined>;
  /**
   * Gives the `Set-Cookie` header that ends it in this browser. With it every session of its key ends, on all hosts within
   * 2 s: a copy of the cookie opens nothing either. That of a proxy's user opens nothing without the proxy.
   */
  end(session: Session): Promise<string>;
}

/** Without a request a session ends after that. */
const idleMs = 30 * MINUTE;
/** Then it ends in any case. */
const maxAgeMs = 12 * HOUR;

/** Of a visitor `keyId` is empty. */
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
