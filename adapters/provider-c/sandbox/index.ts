/** Simulates provider C: payments, the issuer's pages, the hosted page, find, refunds and all callbacks. */
import { formatAmount, fromMinor, toMinor, v, type CreateSandbox, type SandboxSetup } from '@paywright/contract';
import {
  amountRule,
  BoundedMap,
  createOnce,
  createRouter,
  faulty,
  isCardNumber,
  newId,
  troubleBefore,
  type Reply,
  type SandboxRequest,
} from '@paywright/contract/sandbox';
import { Options } from '../options.ts';
import { answerReply, errorReply, notify } from './forms.ts';
import { pageRoutes } from './hosted-page.ts';
import { challengeFields, firstStep, issuerRoutes } from './issuer.ts';
import { createLedger } from './ledger.ts';
import { giveCard, isChallenged, printOf, saidOf, type Payment, type Said } from './payments.ts';
import {
  CompleteFields,
  FindFields,
  isCurrent,
  ofComplete,
  ofFind,
  ofPayment,
  ofRefund,
  PaymentFields,
  readCall,
  RefundFields,
} from './requests.ts';
import { createTrigger, events, causes } from './trigger.ts';

const taken = errorReply(409, 'ref_taken');
const unknownPayment = errorReply(404, 'no_such_payment');
const trouble = { error: errorReply(500, 'not_started'), tooMany: errorReply(429, 'slow_down') };

interface Refund {
  readonly payment: Payment;
  readonly amount: string;
  said: Said;
}

const createSandbox: CreateSandbox<Options> = (given) => {
  const setup = { ...given, options: withAccounts(given) };
  const { options, baseUrl } = setup;
  const ledger = createLedger(setup);
  const refunds = new BoundedMap<string, Refund>();
  const isFirst = createOnce();

  const answer = (payment: Payment): Reply =>
    answerReply(payment, saidOf(payment), payment.state === 'challenge' ? challengeFields(payment, baseUrl) : {});

  async function pay(request: SandboxRequest): Promise<Reply> {
    const call = readCall(request, options, PaymentFields, ofPayment);
    if ('refused' in call) return call.refused;
    const { fields, account, amount } = call;
    const { c_pan: pan, c_exp, c_cvv: _, c_3ds, c_sec, c_note, c_back, ...order } = fields;
    const known = await ledger.byReference(order.c_ref);
    if (known) return known.money.amount === amount && known.card?.print === printOf(pan) ? answer(known) : taken;
    if (!isCardNumber(pan) || !isCurrent(c_exp, new Date())) return errorReply(422, 'not_payable');
    const money = { amount, currency: account.currency };
    const refused = troubleBefore(amountRule(money), () => isFirst(order.c_ref), trouble);
    if (refused) return refused;

    const addresses = { note: c_note, back: c_back, issuerBack: c_3ds };
    const opened = ledger.keep(ledger.make({ account, order, money, threeDsWish: c_sec, ...addresses }));
    giveCard(opened, pan);
    if (!isChallenged(opened)) return faulty(await ledger.settle(opened, answer), opened.rule);
    Object.assign(opened, { state: 'challenge', step: firstStep(order.c_name) });
    return faulty(answer(opened), opened.rule);
  }

  /** The result follows the button that the payer pressed. The posted value is ignored. */
  async function complete(request: SandboxRequest): Promise<Reply> {
    const call = readCall(request, options, CompleteFields, ofComplete);
    if ('refused' in call) return call.refused;
    const payment = await ledger.byId(call.fields.c_id);
    if (payment?.order.c_ref !== call.fields.c_ref) return unknownPayment;
    if (payment.state !== 'challenge') return answer(payment);
    if (payment.pressed) return ledger.settle(payment, answer);
    if (payment.step === 'method') payment.step = 'creq';
    return answer(payment);
  }

  async function find(request: SandboxRequest): Promise<Reply> {
    const call = readCall(request, options, FindFields, ofFind);
    if ('refused' in call) return call.refused;
    const payment = await ledger.byReference(call.fields.c_ref);
    if (!payment) return unknownPayment;
    const { money, returned, dispute } = payment;
    const more = { c_refunded: fromMinor(returned, money.currency), c_disputed: dispute };
    return answerReply(payment, saidOf(payment), more);
  }

  async function refund(request: SandboxRequest): Promise<Reply> {
    const call = readCall(request, options, RefundFields, ofRefund);
    if ('refused' in call) return call.refused;
    const { fields, account, amount } = call;
    const { c_rref } = fields;
    const payment = await ledger.byId(fields.c_id);
    if (payment?.order.c_ref !== fields.c_ref) return unknownPayment;
    const known = refunds.get(c_rref);
    if (known) {
      const isSame = known.payment === payment && known.amount === amount;
      return isSame ? answerReply(payment, known.said, { c_rref }) : taken;
    }
    const money = { amount, currency: account.currency };
    const minor = BigInt(toMinor(money));
    const left = payment.state === 'success' ? BigInt(toMinor(payment.money)) - payment.asked : 0n;
    if (minor > left) return errorReply(422, 'too_much');

    const rule = amountRule(money);
    const said = (state: string): Said => ({ state, total: formatAmount(money), extra });
    const extra = newId('RF-', 6);
    const final = said(rule === '.59' ? 'refundfail' : 'refunded');
    const made: Refund = { payment, amount, said: rule === '.58' ? said('refundwait') : final };
    const settle = (): void => {
      made.said = final;
      if (rule !== '.59') payment.returned += minor;
    };
    refunds.set(c_rref, made);
    if (rule !== '.59') payment.asked += minor;
    if (rule !== '.58') settle();
    const reply = answerReply(payment, made.said, { c_rref });
    await ledger.play([notify(payment, final, 1, rule === '.58' ? settle : undefined)], rule);
    return reply;
  }

  const handle = createRouter(
    {
      'POST /v1/payments': pay,
      'POST /v1/payments/complete': complete,
      'POST /v1/payments/find': find,
      'POST /v1/refunds': refund,
      ...issuerRoutes(setup, ledger),
      ...pageRoutes(setup, ledger),
    },
    { baseUrl },
  );
  return { handle, events, causes, trigger: createTrigger(setup, ledger), close: () => ledger.close() };
};

/** The options with all accounts of C that the gateway has. Tests give the options as an operator writes them. */
function withAccounts({ options, otherAccounts = [], baseUrl }: SandboxSetup<Options>): Options {
  const read = (one: Options): Options => v.parse(Options, { ...one, sandboxBaseUrl: baseUrl });
  return { ...options, accounts: [options, ...otherAccounts].flatMap((one) => read(one).accounts) };
}

createSandbox.testValues = [
  { member: 'name', value: 'PAREQ ', result: 'challenge by 3D Secure 1, with card 4000000000003220' },
  { member: 'name', value: 'METHOD ', result: 'challenge with a method step first, with card 4000000000003220' },
  { member: 'page', value: 'pay', result: 'paid' },
  { member: 'page', value: 'cancel', result: 'cancelled by the payer' },
  { member: 'refund', value: '.58', result: 'succeeded: pending first' },
  { member: 'refund', value: '.59', result: 'refused' },
];

export default createSandbox;
