/** Risk rules of config: a payment that matches one is denied, or must pass 3D Secure. No rule is active by default. */
import { readIpAddress } from '@paywright/contract';
import type { Connection } from 'mongoose';
import type { Encrypter } from '../../../base/crypto/encryption.ts';
import { MINUTE } from '../../../base/async/time.ts';
import { matches, type RouteFacts, type RouteRule } from './routing.ts';
import { createVelocityCounter } from './velocity-counter.ts';

export interface RiskRule {
  readonly id: number;
  readonly when: RouteRule['when'];
  /** Counts attempts by the value of `by`. The rule applies from attempt `max + 1` within the window on. */
  readonly velocity?:
    { readonly by: 'card' | 'email' | 'ip'; readonly max: number; readonly windowMinutes: number } | undefined;
  readonly action: 'deny' | 'require3ds';
  /** For the log. */
  readonly reason: string;
}

export interface RiskDecision {
  /** Why the payment is denied, for the log; null: it is not denied. */
  readonly denied: string | null;
  readonly require3ds: boolean;
}

export interface Risk {
  evaluate(ownerId: number, facts: RouteFacts): Promise<RiskDecision>;
}

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
  const counts = createVelocityCounter(connection);

  async function isTooOften({ id, velocity }: RiskRule, ownerId: number, { input }: RouteFacts): Promise<boolean> {
    if (!velocity) return true;
    const { by, max, windowMinutes } = velocity;
    const value = {
      card: input.card?.number,
      email: input.payer.email?.toLowerCase(),
      ip: readIpAddress(input.payer.ipAddress),
    }[by];
    if (!value) return false;
    const key = encrypter.fingerprint(JSON.stringify(['velocity', id, ownerId, by, value]));
    return (await counts({ key, at: now(), windowMs: windowMinutes * MINUTE, keep: max + 1 })) > max;
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
