/** Checks that the later calls ask for exactly the amount, whatever decimals its currency has. */
import type { Money } from '../../money/money.ts';
import type { HttpRequest } from '../../provider.ts';
import { isObject, toDecimal } from '../difference.ts';
import type { CallVector } from '../vector-file.ts';
import type { VectorPayment } from '../vector-payment.ts';
import { askedOf, currencyOf } from './about-checks.ts';
import { canMoveMoney } from './answer-classes.ts';
import { skip, type Check } from './kit.ts';
import { demandExact, holdsMoney, moneyFor, readable, unitOf } from './request-checks.ts';
import { goodScript } from './scripts.ts';
import type { Subject } from './subject.ts';

/** The later calls whose requests may name an amount. */
const laterCalls = ['refund', 'capture'] as const;
type LaterCall = (typeof laterCalls)[number];

/** Samples differ in their answers more than in their requests. */
const maxSamples = 6;

export function laterMoneyChecks<Options>(subject: Subject<Options>): Check[] {
  return laterCalls
    .filter((call) => subject.wellAnswered(call).length > 0)
    .map((call) => ({
      rule: call,
      title: 'asks for exactly the amount, whatever decimals its currency has',
      async run() {
        let asked = 0;
        for (const vector of subject.wellAnswered(call).slice(0, maxSamples)) {
          asked += await askForEach(subject, call, vector);
        }
        if (asked === 0) skip(`no request of a \`${call}\` among the samples names the amount`);
      },
    }));
}

/** Makes the call for each amount of the kit, and returns how many requests were compared. */
async function askForEach<O>(subject: Subject<O>, call: LaterCall, vector: CallVector): Promise<number> {
  const { requests: usual } = await subject.call(vector, goodScript(vector));
  const { payment } = vector;
  const money: Money = {
    amount: toDecimal(askedOf(call, payment)['amount']) ?? '0',
    currency: currencyOf(subject, payment),
  };
  // A provider that captures or gives back the whole payment may need no amount.
  if (!holdsMoney(subject, textsOf(subject, usual).join('\n'), money)) return 0;
  let asked = 0;
  for (const other of moneyFor(subject)) {
    const unit = unitOf(subject, other.currency, payment['unit']);
    if (unit === undefined) continue;
    const changed = withMoney(call, payment, other.amount, unit);
    const { requests } = await subject.call(vector, goodScript(vector), { payment: changed });
    // An earlier answer names the sample's own money, which may end the call.
    if (requests.length !== usual.length || !requests.some(canMoveMoney)) continue;
    asked += 1;
    demandExact(subject, textsOf(subject, requests), other);
  }
  return asked;
}

function textsOf<O>(subject: Subject<O>, requests: readonly HttpRequest[]): string[] {
  return requests.map((request) => readable(subject, request));
}

/** Members that make the call one for this money. The payment is as large as the part, and nothing was given back. */
function withMoney(call: LaterCall, payment: VectorPayment, amount: string, unit: string): VectorPayment {
  const { capturedAmount } = payment;
  const own = payment[call];
  return {
    unit,
    amount,
    ...(capturedAmount !== undefined && { capturedAmount: amount }),
    ...(isObject(own) && { [call]: { ...own, amount, ...(call === 'refund' && { refundedSoFar: '0' }) } }),
  };
}
