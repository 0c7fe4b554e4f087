/** After the challenge: what the payer's browser brought goes to G, whose answer counts. */
import {
  unknown,
  type Action,
  type CompletionStep,
  type Outcome,
  type Provider,
  type StoredPayment,
} from '@gateway/contract';
import { chargeOutcome } from './charge.ts';
import type { Options } from './options.ts';
import { post } from './request.ts';

export async function completeCharge(
  payment: StoredPayment,
  step: CompletionStep,
  provider: Provider<Options>,
): Promise<Outcome> {
  const { reference, action, providerReference: txn } = payment;
  if (txn === undefined) return unknown('no id of G to complete');
  if (step.kind !== '3ds' || step.field !== 'cres') return stillOpen(txn, action, provider);
  const plaintext = { mid: provider.options.merchantId, g_txn: txn, gw_ref: reference, cres: step.value };
  const path = `/v1/charges/${encodeURIComponent(txn)}/complete`;
  const reply = await provider.http.send(post(path, reference, JSON.stringify(plaintext), provider));
  // Whatever did not begin here: the charge is under way, and may be completed again or end by itself.
  if (reply.status !== 200) return unknown(`G answered the completion with ${reply.status}`);
  const outcome = await chargeOutcome(reply, payment, provider);
  const isAnother = outcome.providerReference !== undefined && outcome.providerReference !== txn;
  return isAnother ? unknown('the answer is about another charge') : outcome;
}

/** G completes nothing without the issuer's result: the same challenge, under the token that is lent now. */
function stillOpen(txn: string, action: Action | undefined, { threeDsToken = '' }: Provider<Options>): Outcome {
  if (action?.type !== 'redirect') return unknown('no challenge to go on with');
  const fields = { ...action.fields, threeDSSessionData: threeDsToken };
  return { outcome: 'pending', providerReference: txn, action: { ...action, fields } };
}
