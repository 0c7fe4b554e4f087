/** POST providerEh2h: what became of one transaction, as a token whose MAC covers every claim. */
import {
  acknowledgeBy,
  defineRoute,
  genuine,
  json,
  type Parsed,
  type Provider,
  type RawCallback,
  type Verdict,
} from '@gateway/contract';
import type { Options } from './options.ts';
import { readToken } from './signing.ts';
import { eventOf, TransactionClaims } from './transaction.ts';

/** Claims by E's own hand that cannot be read are kept for a person. */
type Told = TransactionClaims | 'unreadable';

function prove(raw: RawCallback, { options, now }: Provider<Options>): Verdict<Told> {
  const read = readToken(raw.body, TransactionClaims, options, now());
  switch (read.verdict) {
    case 'genuine':
      return genuine<Told>(read.claims);
    case 'unreadable':
      return genuine<Told>('unreadable');
    case 'malformed':
    case 'forged':
    case 'stale':
      return { verdict: read.verdict, reason: read.reason };
  }
}

function read(told: Told): Parsed {
  if (told === 'unreadable') return { malformed: 'claims are missing or of another type' };
  return { events: [eventOf(told.inv, told)] };
}

const no = '{"received":false}';

export const h2hCallback = defineRoute<Options, Told>({
  path: 'providerEh2h',
  method: 'POST',
  caller: 'server',
  reports: 'payments, refunds and disputes of the host-to-host interface',
  verifySignature: prove,
  parseCallback: ({ value }) => read(value),
  acknowledge: acknowledgeBy({
    accepted: json('{"received":true}'),
    bad_signature: json(no, 401),
    stale: json(no, 400),
    malformed: json(no, 400),
    try_later: json(no, 503),
  }),
});
