/** Route `POST providerEh2h`: the state of one transaction, as a token whose MAC covers every claim. */
import { acknowledgeBy, defineRoute, genuine, json } from '@paywright/contract';
import type { Options } from '../options.ts';
import { namedInToken, readToken } from '../signing.ts';
import { eventOf, TransactionClaims } from '../transaction.ts';

/** Claims that E signed but that are unreadable are genuine, and malformed. */
type Reported = TransactionClaims | 'unreadable';

const no = '{"received":false}';

export const h2hCallback = defineRoute<Options, Reported>({
  path: 'providerEh2h',
  method: 'POST',
  caller: 'server',
  reports: 'payments, refunds and disputes of the host-to-host interface',
  contentTypes: ['application/json'],

  accountHint: ({ body }) => namedInToken(body),

  verifySignature(raw, { options, now }) {
    const read = readToken(raw.body, TransactionClaims, options, now());
    if (read.verdict === 'genuine') return genuine<Reported>(read.claims);
    return read.verdict === 'unreadable' ? genuine<Reported>('unreadable') : { ...read, verdict: read.verdict };
  },

  parseCallback: ({ value }) =>
    value === 'unreadable'
      ? { malformed: 'claims are missing or of another type' }
      : { events: [eventOf(value.inv, value)] },

  acknowledge: acknowledgeBy({
    accepted: json('{"received":true}'),
    invalid_signature: json(no, 401),
    stale: json(no, 400),
    malformed: json(no, 400),
    try_later: json(no, 503),
  }),
});
