/** Creates a payment request and submits it to the provider that the merchant names by its code. */
import type { ClientInput } from '../../../database/collections/client.ts';
import { GatewayError, invalidFields, notFound } from '../../../base/errors.ts';
import type { AccountUser } from '../../providers/account-access.ts';
import { toAccountRef } from '../../providers/account-ref.ts';
import { accepts } from '../../providers/accepts.ts';
import type { ProviderCalls } from '../../providers/calls.ts';
import type { Registry } from '../../providers/registry.ts';
import type { Answers } from '../present/answer.ts';
import { environmentOf, type NewRecords } from '../store/new-record.ts';
import { paymentWayOf } from '../submit/attempt.ts';
import type { Attempts } from '../submit/open-attempt.ts';
import { whyStopped, type AccountUserOf, type ReadProviderAccount } from '../submit/provider-account.ts';
import type { Risk } from '../submit/risk.ts';
import type { Submitter } from '../submit/submit.ts';
import type { PaymentAnswer } from '../types/answer.ts';
import type { Caller } from '../types/caller.ts';
import type { OrderInput, PayerInput } from '../types/input.ts';

const noClient: ClientInput = { name: null, email: null, address: null, phone: null, memberId: null };

export interface PayH2hDeps {
  readonly registry: Pick<Registry, 'byCode' | 'byName' | 'stateOf' | 'stateOfCode' | 'accountsFor'>;
  readonly userOf: AccountUserOf;
  readonly readProviderAccount: ReadProviderAccount;
  readonly calls: Pick<ProviderCalls, 'methodOf'>;
  readonly risk: Risk;
  readonly records: NewRecords;
  readonly attempts: Attempts;
  readonly submitter: Pick<Submitter, 'submit'>;
  readonly answers: Pick<Answers, 'afterPaying'>;
  readonly config: { readonly openCurrencies: Readonly<Record<string, readonly string[]>> };
}

export type PayH2hCommand = (
  caller: Caller,
  code: number,
  order: OrderInput,
  input: PayerInput,
) => Promise<PaymentAnswer>;

/** NF001 for a provider code to which nothing can be submitted now. */
export async function unknownProvider(registry: Pick<Registry, 'stateOfCode'>, code: number): Promise<GatewayError> {
  const state = await registry.stateOfCode(code);
  if (state === 'off') return new GatewayError('NOT_FOUND', `provider ${code} is off`);
  if (state === 'draining')
    return new GatewayError('NOT_FOUND', `provider ${code} is draining: it accepts no new payments`);
  return notFound('a provider with this code');
}

export function createPayH2hCommand(deps: PayH2hDeps): PayH2hCommand {
  const { registry, calls, risk, records, attempts, submitter, answers, userOf, readProviderAccount, config } = deps;

  /** The accounts of the adapter that may take the payment, the first choice first. Throws NF001 without any. */
  async function accountsOf(code: number, user: AccountUser | undefined, given: string | undefined) {
    const main = registry.byCode(code);
    if (!main) throw await unknownProvider(registry, code);
    const { name } = main;
    const account = given === undefined ? undefined : readProviderAccount(given, user, name);
    const why = account === undefined ? undefined : whyStopped(registry, account);
    if (why !== undefined) throw new GatewayError('NOT_FOUND', why);
    const refs = account === undefined ? registry.accountsFor(name, user) : [toAccountRef(account)];
    if (refs.length === 0) throw new GatewayError('NOT_FOUND', `provider ${code} has no account that you may use`);
    const found = refs.flatMap((ref) => registry.byName(ref) ?? []).filter(({ state }) => state === 'on');
    if (found.length === 0)
      throw new GatewayError('NOT_FOUND', `every account of provider ${code} that you may use is off or draining`);
    return found;
  }

  return async function payH2h(caller, code, order, input) {
    const merchant = await userOf(caller.ownerId);
    const accounts = await accountsOf(code, merchant, input.providerAccount);
    const environment = environmentOf(caller, input.isSandbox);
    const usable = accounts.filter(({ takesTestPayments }) => environment === 'live' || takesTestPayments);
    if (usable.length === 0) throw notFound(`provider ${code} for test payments`);
    const { unit, amount } = order;
    const facts = { unit, amount, sandbox: environment === 'test' };
    const decision = await risk.evaluate(caller.ownerId, { ...facts, merchant, input });
    const submitted = decision.require3ds ? { ...input, is3ds: true } : input;
    const { payer, body, is3ds } = submitted;
    const judged = usable.map((active) => {
      const acceptance = accepts(active, {
        unit,
        amount,
        body,
        openCurrencies: config.openCurrencies[active.name],
        ...(payer.country !== undefined && { country: payer.country }),
        ...(is3ds !== undefined && { is3ds }),
        ...(is3ds && { way: paymentWayOf(calls, active, facts, submitted) }),
      });
      return { active, acceptance };
    });
    const { active, acceptance } = judged.find((one) => one.acceptance.ok) ?? judged[0]!;
    if (!acceptance.ok) {
      // The merchant did not ask for 3D Secure, so there is nothing in the body that the merchant could fix.
      if (decision.require3ds && !input.is3ds && acceptance.errors.every(({ field }) => field === 'is3ds')) {
        throw new GatewayError(
          'PAYMENT_NOT_PAYABLE',
          'a risk rule demands 3D Secure, which this provider does not offer',
        );
      }
      throw invalidFields(acceptance.errors);
    }
    const client = { ...noClient, name: payer.name ?? null, email: payer.email ?? null };
    const created = await records.make(caller, { order, environment, client, isH2h: true });
    const candidate = { active, money: acceptance.money };
    const { operation } = caller;
    const record = await records.insert(
      { ...created, _id: operation?.paymentRequestId ?? created._id },
      { caller, opened: (fresh) => attempts.open(fresh, candidate, submitted, null) },
    );
    if (decision.denied) return answers.afterPaying(await attempts.deny(record, decision.denied, caller.requestId));
    return answers.afterPaying(await submitter.submit(record, 1, submitted, [], caller.requestId), body);
  };
}
