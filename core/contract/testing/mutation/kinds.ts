/**
 * The faults that the mutation run puts into an adapter, one at a time. Each one loses money, doubles it, or believes a
 * lie. `mutations.json` of an adapter, in the folder `test`, says for each kind where the fault goes, or why the
 * adapter cannot have it.
 */
export const mutationKinds = {
  'signature-not-compared': 'The signature of a callback is not compared.',
  'bytes-rewritten': 'The signature is verified over a body that was parsed and serialized again.',
  'stale-accepted': 'A callback that is too old or too early is accepted.',
  'fresh-one-way': 'The tolerance of a signed time applies to the past only.',
  'account-not-compared': 'A callback that is meant for another merchant is believed.',
  'certificate-under-another-serial': 'A public key or certificate is used for a message that names another one.',
  'expired-certificate-accepted': 'An expired certificate verifies a message.',
  'certificate-of-any-host': 'A certificate is fetched from any address that the message names.',
  'unsigned-answers-believed': 'An answer whose signature is wrong is believed.',
  'unproven-facts-believed': 'A callback that proves too little is believed without a status fetch.',
  'dedupe-key-by-clock': 'The dedupe key of an event depends on the time of its arrival.',
  'unknown-status-succeeds': 'A status that the table does not know means success.',
  'amount-not-compared': 'A payment’s answer with another amount or currency is believed.',
  'later-amount-not-compared': 'An answer to a refund, a capture or a completion with another amount is believed.',
  'another-amount-read': 'The amount is read from another member of the message.',
  'payment-not-compared': 'An answer about another payment is believed.',
  'references-swapped': 'Our reference and the provider’s reference are exchanged.',
  'two-decimals': 'Every currency is treated as a currency with two decimals.',
  'other-unit': 'Amounts are sent in minor units where the provider expects major units, or the other way round.',
  'submit-error-refuses': 'An answer of status 500 to a submission means that nothing was charged.',
  'refund-error-refuses': 'Any error of a refund means that nothing was given back.',
  'refund-key-random': 'A repeated refund has another idempotency key or name.',
  'payment-key-random': 'A repeated submission, completion or capture has another idempotency key or name.',
  'refund-repeated-blindly': 'Any error of a question about a refund sends the refund once more.',
  'refused-close-is-closed': 'A close that the provider refused means that the order is closed.',
} as const satisfies Readonly<Record<string, string>>;

export type MutationKind = keyof typeof mutationKinds;
