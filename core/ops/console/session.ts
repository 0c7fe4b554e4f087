/**
 * Who is signed in to the console. All that is known of a session is in its cookie, encrypted: it outlives a restart and is
 * right on every host, and the operator's key is looked up anew with each request, so that one that was revoked opens nothing.
 */
import { randomUUID } from 'node:crypto';
import { sameText } from '@gateway/contract';
import * as v from 'valibot';
import type { Operator, Operators } from '../../access/index.ts';
import type { Encrypter, Place } from '../../encryption.ts';
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

const name = 'gateway_console';
const place: Place = { collection: 'operators', id: 'console', member: 'session' };

const Sealed = v.object({ id: v.string(), keyId: v.string(), began: v.number(), seen: v.number() });
type Sealed = v.InferOutput<typeof Sealed>;

export interface SessionsDeps {
  readonly operators: Pick<Operators, 'authenticate' | 'active'>;
  readonly encrypter: Encrypter;
  readonly now: () => Date;
}

export function createSessions({ operators, encrypter, now }: SessionsDeps): Sessions {
  function seal(session: Sealed): string {
    const value = encrypter.encrypt(JSON.stringify(session), place).toString('base64url');
    return cookieOf(value, idleMs / SECOND);
  }

  function open(cookies: string | undefined): Sealed | undefined {
    const value = valueIn(cookies);
    if (value === undefined) return undefined;
    try {
      const read = v.safeParse(
        Sealed,
        JSON.parse(encrypter.decrypt(Buffer.from(value, 'base64url'), place).toString()),
      );
      return read.success ? read.output : undefined;
    } catch {
      return undefined; // Made by somebody else, or under a key that is gone.
    }
  }

  return {
    async begin(key) {
      const { keyId } = await operators.authenticate(key);
      const at = now().getTime();
      return seal({ id: randomUUID(), keyId, began: at, seen: at });
    },

    async read(cookies) {
      const session = open(cookies);
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

    ending: cookieOf('', 0),
  };
}

/** Whether a form was on a page of this session. */
export function isFormOf({ formToken }: Session, given: string | undefined): boolean {
  return given !== undefined && sameText(given, formToken);
}

/** Browsers send a `Secure` cookie to this machine itself without TLS, and nowhere else. */
function cookieOf(value: string, seconds: number): string {
  return `${name}=${value}; Path=/ops; Max-Age=${seconds}; HttpOnly; Secure; SameSite=Strict`;
}

function valueIn(cookies: string | undefined): string | undefined {
  const own = cookies
    ?.split(';')
    .map((one) => one.trim())
    .find((one) => one.startsWith(`${name}=`));
  return own?.slice(name.length + 1) || undefined;
}
