/**
 * What is yet to be decided about New Provider; its protocol here is made up. Each entry is a failing test. Once you have
 * decided one, delete it: the compiler then shows each `decide` that still rests on it. After the last, delete this
 * file and the manifest's `undecided`; until then no gateway loads this adapter.
 */
export const undecided = {
  options:
    'options.ts: name what New Provider knows us by (account, API key) and what proves its messages (secrets, certificates), each with the place in its console.',
  limits:
    'index.ts: say what New Provider cannot take (amounts, currencies, 3D Secure, wallets, a later capture), so that it is refused before anybody is asked.',
  request:
    'submit.ts, wire.ts: write the request as its manual has it: path, headers, body, the form of amounts, how our reference is repeated, and what makes a repetition charge nothing twice. An access token first, or a second host: see adapters/guide/features.md.',
  answer:
    'payment.ts, wire.ts: say what each answer means. Paid or refused only where New Provider says so about this very payment; nothing charged only in its own words; everything else is unknown.',
  // for: card token
  challenge:
    'complete.ts, payment.ts, sandbox/challenge.ts: lead the payer to the bank and ask what came of it; see 3D Secure in adapters/guide/features.md. Delete both files, `complete` and `enforced` where New Provider has no 3D Secure.',
  // end
  statuses:
    'statuses.ts: list its statuses of payments, refunds and disputes, and what each means. Leave out what you do not know for certain: it is stored and changes nothing.',
  declines: 'statuses.ts: translate its reasons for a refusal. One that is missing counts as 05, with its text kept.',
  proof:
    'signing.ts: say what proves a message: which header or member, which algorithm over which bytes, how old it may be, how secrets rotate. What is not covered must not be believed.',
  event:
    'callbacks/: read the message: which payment, which status, which amount in which form, and the identity that makes a repetition a repetition. A success that names no amount sets `mustFetch`.',
  acknowledgement:
    'callbacks/: answer as New Provider expects, byte for byte: what makes it stop sending, and what makes it send again.',
  status:
    'fetch-status.ts: ask for the status of a payment, and say when "not known" is final. Delete the file and `fetchStatus` where it cannot be asked.',
  refund: 'refund.ts: give money back, safely repeated. Delete the file and `refund` where New Provider cannot.',
  manifest:
    'index.ts: title, what makes a repetition safe, when to ask about a payment that has not ended, and what to enter in its console.',
  sandbox:
    'sandbox/: play the other side of the same protocol, with the test cards and amounts of @paywright/contract/sandbox.',
  vectors:
    'fixtures/vectors.json: record what New Provider really sends and answers in its test environment, one of each route and call at least; the samples here are made up.',
  readme: 'README.md: replace each line that begins with "To decide".',
} as const satisfies Readonly<Record<string, string>>;

/** Marks a decision that is open; gives what the made-up protocol does. */
export function decide<T>(_open: string, suggestion: T): T {
  return suggestion;
}
