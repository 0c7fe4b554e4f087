/**
 * Who is signed in to the console. All that is known of a session is in its cookie, encrypted: it outlives a restart and is
 * right on every host, and the operator's key is looked up anew with each request, so that one that was revoked opens nothing.
 */
import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import type { Operator, Operators } from '../../access/index.ts';
import type { Encrypter } from '../../encryption.ts';
import { createSessionCookie } from '../../http/dashboard/session-cookie.ts';
import { HOUR, MINUTE, SECOND } from '../../time.ts';

export interface Session {
  readonly operator: Operator;
  /** In every form of this session's pages: another site cannot know it. */
  readonly formToken: string;
  /** The cookie once more, with the time of this request. */
  readonly cookie: string;
}

export interface Sessions {
  /** Gives the `Set-Cookie` header. Throws AUTH001 where the key opens nothing. */
  begin(key: string): Promise<string>;
  /** Undefined: nobody is signed in, or no longer. */
  read(cookies: string | undefined): Promise<Session | undefined>;
  /** The `Set-Cookie` header that ends it in this browser. */
  readonly ending: string;
}

/** Without a request a session ends after that. */
const idleMs = 30 * MINUTE;
/** Then it ends in any case. */
const longestMs = 12 * HOUR;

const Sealed = v.object({ id: v.string(), keyId: v.string(), began: v.number(), seen: v.number() });
type Sealed = v.InferOutput<typeof Sealed>;

export interface SessionsDeps {
  readonly operators: Pick<Operators, 'authenticate' | 'active'>;
  readonly encrypter: Encrypter;
  readonly now: () => Date;
}

export function createSessions({ operators, encrypter, now }: SessionsDeps): Sessions {
  const cookie = createSessionCookie({
    name: 'gateway_console',
    path: '/ops',
    isSecure: true,
    schema: Sealed,
    place: { collection: 'operators', id: 'console', member: 'session' },
    encrypter,
  });
  const seal = (session: Sealed): string => cookie.set(session, idleMs / SECOND);

  return {
    async begin(key) {
      const { keyId } = await operators.authenticate(key);
      const at = now().getTime();
      return seal({ id: randomUUID(), keyId, began: at, seen: at });
    },

    async read(cookies) {
      const session = cookie.read(cookies);
      const at = now().getTime();
      if (!session || at >= session.seen + idleMs || at >= session.began + longestMs) return undefined;
      const operator = await operators.active(session.keyId);
      if (!operator) return undefined;
      return {
        operator,
        formToken: encrypter.fingerprint(`console form ${session.id}`),
        cookie: seal({ ...session, seen: at }),
      };
    },

    ending: cookie.ending,
  };
}
