/**
 * The open decisions about New Provider; its protocol here is invented. Each entry is a failing test. After you have
 * made a decision, delete its entry: the compiler then shows each `decide` that still depends on it. After the last
 * one, delete this file and the manifest's `undecided`. Until then, no gateway loads this adapter.
 */
export const undecided = {
  options:
    'options.ts: list the credentials that New Provider gives us (account, API key) and what proves its messages (secrets, certificates), each with its location in the console.',
  limits:
    'index.ts: declare what New Provider does not accept (amounts, currencies, 3D Secure, wallets, a later capture), so that it is refused before a request is sent.',
  request:
    'submit.ts, wire.ts: write the request as its manual has it: path, headers, body, the form of amounts, how our reference is sent, and what prevents a repeated request from charging twice. An access token first, or a second host: see adapters/guide/features.md.',
  answer:
    'payment.ts, wire.ts: map each answer to its meaning. Paid or refused only if New Provider says so about exactly this payment; nothing charged only if it says so explicitly; everything else is unknown.',
  // for: card token
  challenge:
    'complete.ts, payment.ts, sandbox/challenge.ts: send the payer to the bank and fetch the result; see 3D Secure in adapters/guide/features.md. Delete both files, `complete` and `enforced` where New Provider has no 3D Secure.',
  // end
  statuses:
    'statuses.ts: list its statuses of payments, refunds and disputes with their meanings. Omit statuses that you do not know for certain: they are stored and change nothing.',
  declines: 'statuses.ts: map its refusal reasons. A missing reason counts as 05, and its text is kept.',
  proof:
    'signing.ts: define the proof of a message: which header or member, which algorithm over which bytes, how old it may be, how secrets rotate. Data that the proof does not cover must not be trusted.',
  event:
    'callbacks/: read the message: which payment, which status, which amount in which format, and the identity by which repetitions are detected. A success without an amount sets `mustFetch`.',
  acknowledgement:
    'callbacks/: answer exactly as New Provider expects: which answer stops its retries, and which answer causes a retry.',
  status:
    'fetch-status.ts: fetch the status of a payment, and define when "not known" is final. Delete the file and `fetchStatus` if New Provider has no status request.',
  refund: 'refund.ts: refund money, safe to repeat. Delete the file and `refund` if New Provider has no refunds.',
  manifest:
    'index.ts: the title, what makes a repetition safe, when to check a payment that has not ended, and what to enter in its console.',
  sandbox:
    'sandbox/: simulate the other side of the same protocol, with the test cards and amounts of @paywright/contract/sandbox.',
  vectors:
    'fixtures/vectors.json: record real messages and answers of the test environment of New Provider, at least one for each route and call; the samples here are invented.',
  readme: 'README.md: replace each line that starts with "To decide".',
} as const satisfies Readonly<Record<string, string>>;

/** Marks an open decision and returns the value of the invented protocol. */
export function decide<T>(_open: string, suggestion: T): T {
  return suggestion;
}
