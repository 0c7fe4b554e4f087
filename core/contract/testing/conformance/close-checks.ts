/** Checks that an order counts as closed only if the provider confirms that it is closed and was not paid. */
import type { HttpReply } from '../../provider.ts';
import { reply } from '../scripted-provider.ts';
import { toHttpReply } from '../compare-request.ts';
import type { CallVector } from '../vector-file.ts';
import { stepName } from './answer-classes.ts';
import { demand, skip, type Check } from './kit.ts';
import { goodScript, scriptAt } from './scripts.ts';
import { isAnsweredWell, type Subject } from './subject.ts';

const rule = 'close';
/** Enough to include each form in which a provider shows an order. */
const maxFetches = 12;
const refusalStatuses = [400, 403, 404, 405, 409, 410, 412, 422, 423, 503] as const;
const refusalBodies = ['', '{}', '{"error":{"code":"not_possible","message":"The order cannot be closed."}}'] as const;
const cure =
  'answer `succeeded` only if the provider says that the order is closed: read the status of the answer and what it says about the order';

export function closeChecks<Options>(subject: Subject<Options>): Check[] {
  const { adapter, file } = subject;
  if (!adapter.close) return [];
  const closes = file.submissions.filter(({ call }) => call === 'close');
  const samples = closes.filter(isAnsweredWell);
  /** Orders that are closed in the end, also if the provider refused to close them because they were closed before. */
  const closed = subject.answered('close').filter(({ expect }) => expect['outcome'] === 'succeeded');
  return [
    {
      rule,
      title: 'has a sample of an order that the provider does not close',
      async run() {
        const refusals = closes.filter(
          ({ expect, exchanges }) => expect['outcome'] !== 'succeeded' && exchanges.some((exchange) => exchange.reply),
        );
        demand(
          refusals.length > 0,
          'no vector is a `close` that the provider refuses, so nothing shows how the adapter reads a refusal',
          'record the answer for an order that is paid, with an `outcome` other than `succeeded`',
        );
      },
    },
    {
      rule,
      title: 'takes no refusal for closed',
      async run() {
        if (samples.length === 0) skip('no vector is a `close` with a good answer');
        for (const vector of samples) {
          for (const step of vector.exchanges.keys()) {
            for (const { name, answer } of [...refusals(), ...recordedRefusals(closes)]) {
              const { result } = await subject.call(
                vector,
                scriptAt(vector, step, () => answer),
              );
              demand(
                result.outcome !== 'succeeded',
                `after "${vector.name}", ${stepName(vector, step)}${name} was taken for closed`,
                cure,
              );
            }
          }
        }
      },
    },
    {
      rule,
      title: 'takes no paid or open order for closed',
      async run() {
        const fetches = file.submissions.filter((one) => one.call === 'fetchStatus' && isAnsweredWell(one));
        if (fetches.length === 0) skip('no vector is a fetch of a payment that is paid or open');
        for (const fetch of fetches.slice(0, maxFetches)) {
          for (const { reply: shown } of fetch.exchanges) {
            const answer = toHttpReply(shown!);
            for (const vector of closed) {
              // The answer is about this payment, and only its status differs from that of a closed order. A close that
              // looks at the order before or after its request gets it from any of its requests on.
              for (const step of vector.exchanges.keys()) {
                const good = goodScript(vector);
                const { result } = await subject.call(
                  vector,
                  (request, count) => (count < step ? good(request, count) : answer),
                  { payment: fetch.payment },
                );
                demand(
                  result.outcome !== 'succeeded',
                  `the answer to "${fetch.name}", whose order is paid or open, was taken for closed after "${vector.name}"`,
                  cure,
                );
              }
            }
          }
        }
      },
    },
  ];
}

interface Refusal {
  readonly name: string;
  readonly answer: HttpReply;
}

function* refusals(): Generator<Refusal> {
  for (const status of refusalStatuses) {
    for (const body of refusalBodies) {
      const name = `a ${status} ${body === '' ? 'without a body' : `that is \`${body}\``}`;
      yield { name, answer: reply(status, body, [['Content-Type', 'application/json']]) };
    }
  }
}

/** The provider's own refusals: error answers to a close after which the order is not closed. */
function recordedRefusals(closes: readonly CallVector[]): readonly Refusal[] {
  return closes
    .filter(({ expect }) => expect['outcome'] !== 'succeeded')
    .flatMap(({ name, exchanges }) =>
      exchanges.flatMap((exchange) => {
        const answer = exchange.reply && toHttpReply(exchange.reply);
        return answer && answer.status >= 400 ? [{ name: `the answer of "${name}"`, answer }] : [];
      }),
    );
}
