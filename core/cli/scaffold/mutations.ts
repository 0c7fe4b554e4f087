/** Faults on purpose for the made-up protocol that a new adapter begins with: `npm run mutate` judges its tests. */
import type { Names } from './names.ts';

/** A place in a compiled file. */
const at = (file: string, from: string, to: string) => ({ file, from, to });
const sharedSecrets = (title: string): string => `${title} proves its messages with shared secrets.`;
const nothingCharged = "{ outcome: 'failed', nothingCharged: true, reason: 'refused' }";

/** The content of `test/mutations.json`. Each `from` occurs once in the compiled file, for every kind of input. */
export function sampleMutations({ name, title }: Names): string {
  const callback = `callbacks/${name}.js`;
  const places: Readonly<Record<string, string | readonly ReturnType<typeof at>[]>> = {
    'signature-not-compared': [at('signing.js', 'if (key === undefined)', 'if (key === null)')],
    'bytes-rewritten': [
      at(
        callback,
        'refuseSeal(raw, ctx)',
        'refuseSeal({ ...raw, body: Buffer.from(JSON.stringify(readJsonBody(v.looseObject({}), raw) ?? {})) }, ctx)',
      ),
    ],
    'stale-accepted': [at('signing.js', 'if (isFresh(Number(seconds) * 1000, now(), TOLERANCE_MS))', 'if (true)')],
    'fresh-one-way': [
      at(
        'signing.js',
        'if (isFresh(Number(seconds) * 1000, now(), TOLERANCE_MS))',
        'if (now().getTime() - Number(seconds) * 1000 <= TOLERANCE_MS)',
      ),
    ],
    'account-not-compared': [at(callback, 'return message.account === ctx.options.account ?', 'return true ?')],
    'certificate-under-another-serial': sharedSecrets(title),
    'expired-certificate-accepted': sharedSecrets(title),
    'certificate-of-any-host': sharedSecrets(title),
    'unsigned-answers-believed': `${title} does not sign its answers.`,
    'unproven-facts-believed': 'The seal covers the whole message, and the message contains every fact.',
    'dedupe-key-by-clock': [
      at(
        callback,
        'parseCallback: ({ value }) => ({ events: [toEvent(value)] }),',
        'parseCallback: ({ value }, { now }) => ({ events: [{ ...toEvent(value), dedupeKey: `${value.payment}:${now().getTime()}` }] }),',
      ),
    ],
    'unknown-status-succeeds': [
      at(
        'statuses.js',
        'fetch: fetchStatuses });',
        "fetch: fetchStatuses }, (status) => (status === 'unknown' ? 'succeeded' : status));",
      ),
      at('refund.js', "statuses.get(providerStatus) ?? 'unknown'", "statuses.get(providerStatus) ?? 'succeeded'"),
    ],
    'amount-not-compared': [
      at('payment.js', 'asked && answer.amount === toMinor(money) ?', 'asked ?'),
      at('payment.js', ' && answer.currency === money.currency', ''),
    ],
    'later-amount-not-compared': [
      at('refund.js', 'answer?.amount === amount && ', ''),
      at('refund.js', ' && answer.currency === money.currency', ''),
    ],
    'another-amount-read': [
      at('fetch-status.js', "refunded = '0', currency } = answer", 'amount: refunded, currency } = answer'),
    ],
    'payment-not-compared': [
      at('payment.js', 'answer?.reference === reference && ', 'answer !== undefined && '),
      at('refund.js', 'answer?.reference !== reference || ', '!answer || '),
    ],
    'references-swapped': [
      at(
        callback,
        'reference,\n        providerReference: payment,',
        'reference: payment,\n        providerReference: reference,',
      ),
      at('payment.js', 'const { id: providerReference, status:', 'const { reference: providerReference, status:'),
    ],
    'two-decimals': [
      at('submit.js', 'toMinor(money)', 'String(Math.round(Number(money.amount) * 100))'),
      at('refund.js', 'toMinor(money)', 'String(Math.round(Number(money.amount) * 100))'),
    ],
    'other-unit': [
      at('submit.js', 'toMinor(money)', 'money.amount'),
      at('refund.js', 'new JsonNumber(amount)', 'new JsonNumber(money.amount)'),
    ],
    'submit-error-refuses': [
      at(
        'payment.js',
        'return errors.toOutcome(reply);',
        `return reply.status === 500 ? ${nothingCharged} : errors.toOutcome(reply);`,
      ),
    ],
    'refund-error-refuses': [at('refund.js', 'return errors.toRefundOutcome(reply);', `return ${nothingCharged};`)],
    'refund-key-random': [
      at(
        'refund.js',
        '(payment, { reference, money, note }, { http, options }) => {',
        "(payment, { reference: name, money, note }, { http, options, random }) => {\n    const reference = `${name}-${Buffer.from(random(16)).toString('hex')}`;",
      ),
    ],
    'payment-key-random': [
      at(
        'submit.js',
        ', reference, message)',
        ", `${reference}-${Buffer.from(ctx.random(16)).toString('hex')}`, message)",
      ),
    ],
    'refund-repeated-blindly': `A refund asks ${title} nothing before it is sent.`,
    'refused-close-is-closed': 'The adapter has no ability `close`.',
  };
  return `${JSON.stringify(places, null, 2)}\n`;
}
