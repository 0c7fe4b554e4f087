/** What the vault tells: the words of its events, and what each of them says. */
import { fromMinor, jsonInteger, readAs, readRfc3339, v, type Parsed, type ReportedEvent } from '@gateway/contract';
import { Minor, refusalOf } from './charge.ts';
import type { Options } from './options.ts';

export const hookWords = {
  payment: {
    'charge.succeeded': 'succeeded',
    'charge.failed': 'failed',
    'charge.pending': 'pending',
    'charge.authorised': 'authorised',
    'charge.cancelled': 'cancelled',
    'charge.expired': 'expired',
  },
  refund: {
    'refund.pending': 'pending',
    'refund.succeeded': 'succeeded',
    'refund.failed': 'failed',
    'refund.reversed': 'reversed',
  },
  chargeback: {
    'dispute.opened': 'opened',
    'dispute.won': 'won',
    'dispute.lost': 'lost',
    'dispute.reversed': 'reversed',
  },
  token: {
    'token.active': 'active',
    'token.suspended': 'suspended',
    'token.deleted': 'deleted',
    'token.updated': 'updated',
  },
} as const;

const Head = v.object({ event: v.string(), mid: v.string() });
const Text = v.string();
const Charge = v.object({ id: Text, ref: Text, state: Text, minor: Minor, cur: Text, why: v.nullable(Text) });
const Refund = v.object({ id: Text, state: Text, minor: Minor });
const Dispute = v.object({ id: Text, stage: Text, minor: Minor });
const Token = v.object({ handle: Text, state: Text, brand: Text, last4: Text, expires: Text });
type Charge = v.InferOutput<typeof Charge>;

/** An event's subject, before its word is looked at. */
interface Said extends Pick<
  ReportedEvent,
  'kind' | 'reference' | 'providerReference' | 'subReference' | 'amount' | 'currency'
> {
  /** How the subject stands; the event's word must say the same. */
  readonly state?: string;
  readonly why?: string | null;
}

const nameless = { reference: null, providerReference: null, amount: null, currency: null } as const;

function about({ id, ref, cur }: Charge, minor: string) {
  return { reference: ref, providerReference: id, amount: fromMinor(minor, cur), currency: cur };
}

/** What events of each family must hold, and say. */
const families = new Map<string, v.GenericSchema<unknown, Said>>([
  [
    'charge',
    v.pipe(
      v.object({ charge: Charge }),
      v.transform(({ charge }) => {
        return { ...about(charge, charge.minor), kind: 'payment' as const, state: charge.state, why: charge.why };
      }),
    ),
  ],
  [
    'refund',
    v.pipe(
      v.object({ charge: Charge, refund: Refund }),
      v.transform(({ charge, refund: { id, state, minor } }) => {
        return { ...about(charge, minor), kind: 'refund' as const, subReference: id, state };
      }),
    ),
  ],
  [
    'dispute',
    v.pipe(
      v.object({ charge: Charge, dispute: Dispute }),
      v.transform(({ charge, dispute: { id, stage, minor } }) => {
        return { ...about(charge, minor), kind: 'chargeback' as const, subReference: id, state: stage };
      }),
    ),
  ],
  [
    'token',
    v.pipe(
      v.object({ token: Token }),
      v.transform(({ token: { handle } }) => ({ ...nameless, kind: 'token' as const, providerReference: handle })),
    ),
  ],
]);

/** Reads a proven message; `id` is its event's identity. */
export function readMessage(id: string, message: unknown, { merchantId }: Options): Parsed {
  const head = readAs(Head, message);
  if (!head) return { malformed: 'no event or no mid' };
  if (head.mid !== merchantId || head.event === 'vault.ping') return { events: [] };
  const [family, word] = splitAtDot(head.event);
  const schema = families.get(family);
  const said: Said | undefined = schema ? readAs(schema, message) : { ...nameless, kind: 'payment' };
  if (!said) return { malformed: `a member that ${family} events need is missing or of another type` };
  return { events: [toEvent(head.event, word, id, said, message)] };
}

/** `charge.failed` is of the family `charge`; without a point there is no family. */
function splitAtDot(event: string): [family: string, word: string] {
  const at = event.indexOf('.');
  return at < 0 ? ['', event] : [event.slice(0, at), event.slice(at + 1)];
}

function toEvent(
  event: string,
  word: string,
  id: string,
  { state, why, ...said }: Said,
  message: unknown,
): ReportedEvent {
  const agrees = state === undefined || state === word;
  const { unknownWord: _, ...refusal } =
    agrees && event === 'charge.failed' ? refusalOf(why) : { unknownWord: undefined };
  return { ...said, word: event, dedupeKey: id, ...refusal, ...timingOf(message), facts: { from: 'hook', agrees } };
}

const Timing = v.object({
  seq: v.fallback(v.optional(jsonInteger()), undefined),
  at: v.fallback(v.optional(v.string()), undefined),
});

function timingOf(message: unknown): Pick<ReportedEvent, 'orderHint' | 'occurredAt'> {
  const { seq, at } = readAs(Timing, message) ?? {};
  const occurredAt = at === undefined ? undefined : readRfc3339(at);
  return { ...(seq === undefined ? {} : { orderHint: seq }), ...(occurredAt ? { occurredAt } : {}) };
}
