/** Risk rules of config: a payment that meets one is denied, or must pass 3D Secure. None is active by default. */
import type { Connection, mongo } from 'mongoose';
import { velocityModel, type Velocity } from '../../documents/velocity.ts';
import type { Encrypter } from '../../encryption.ts';
import { isDuplicateKey } from '../../documents/duplicate-key.ts';
import { nativeOf } from '../../documents/native.ts';
import { matches, type RouteFacts, type RouteRule } from './routing.ts';

export interface RiskRule {
  readonly id: number;
  readonly when: RouteRule['when'];
  /** Counts attempts by what `by` names; the rule holds from the `max + 1`st within the window on. */
  readonly velocity?:
    { readonly by: 'card' | 'email' | 'ip'; readonly max: number; readonly windowMinutes: number } | undefined;
  readonly action: 'deny' | 'require3ds';
  /** For the log. */
  readonly reason: string;
}

export interface RiskDecision {
  /** Why it is denied, for the log; null: it is not. */
  readonly denied: string | null;
  readonly require3ds: boolean;
}

export interface Risk {
  evaluate(ownerId: number, facts: RouteFacts): Promise<RiskDecision>;
}

const MINUTE_MS = 60_000;
/** Losing one counts one less. */
const notDurable = { writeConcern: { w: 1, j: false } } as const;

export function createRisk({
  connection,
  rules,
  encrypter,
  now,
}: {
  readonly connection: Connection;
  readonly rules: readonly RiskRule[];
  readonly encrypter: Encrypter;
  readonly now: () => Date;
}): Risk {
  const { collection } = nativeOf(velocityModel(connection)) as unknown as { collection: mongo.Collection<Velocity> };

  /** One step counts and gives the place of this attempt among those of the window: of many at a time each has its own. */
  async function isTooOften({ id, velocity }: RiskRule, ownerId: number, { input }: RouteFacts): Promise<boolean> {
    if (!velocity) return true;
    const { by, max, windowMinutes } = velocity;
    const value = { card: input.card?.number, email: input.payer.email?.toLowerCase(), ip: input.payer.ipAddress }[by];
    if (!value) return false;
    const key = encrypter.fingerprint(JSON.stringify(['velocity', id, ownerId, by, value]));
    const at = now();
    const since = new Date(at.getTime() - windowMinutes * MINUTE_MS);
    const recent = { $filter: { input: { $ifNull: ['$times', []] }, cond: { $gt: ['$$this', since] } } };
    const times = { $slice: [{ $concatArrays: [recent, [at]] }, -(max + 1)] };
    const expireAt = new Date(at.getTime() + windowMinutes * MINUTE_MS);
    const count = async (): Promise<Velocity | null> =>
      collection.findOneAndUpdate({ _id: key }, [{ $set: { times, expireAt } }], {
        upsert: true,
        returnDocument: 'after',
        ...notDurable,
      });
    // Of two that make the document one fails because it exists, and counts on.
    const counted = await count().catch((error: unknown) => (isDuplicateKey(error) ? count() : Promise.reject(error)));
    return (counted?.times.length ?? 0) > max;
  }

  return {
    async evaluate(ownerId, facts) {
      let require3ds = false;
      for (const rule of rules) {
        if (!matches(rule.when, facts) || !(await isTooOften(rule, ownerId, facts))) continue;
        if (rule.action === 'deny') return { denied: `risk rule ${rule.id}: ${rule.reason}`, require3ds };
        require3ds = true;
      }
      return { denied: null, require3ds };
    },
  };
}
