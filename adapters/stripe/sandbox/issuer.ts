/** The issuer's side of 3D Secure: the page to which a PaymentIntent sends the payer, and the redirect back. */
import {
  choicePage,
  messagePage,
  redirectReply,
  type Deliveries,
  type Message,
  type Reply,
  type SandboxRequest,
} from '@paywright/contract/sandbox';
import { fromStripeAmount } from '../wire.ts';
import { decline, failedStep, type Intent } from './payments.ts';
import { ACCOUNT } from './present.ts';
import { intentMessage, passStep, type Shown } from './reports.ts';

interface IssuerDeps {
  readonly shown: Shown;
  readonly deliveries: Deliveries;
  readonly intents: ReadonlyMap<string, Intent>;
}

export function createIssuer({ shown, deliveries, intents }: IssuerDeps) {
  function end(intent: Intent, result: 'pass' | 'fail'): readonly Message[] {
    if (result === 'pass') return passStep(shown, intent);
    intent.threeDs = 'failed';
    decline(intent, failedStep);
    return [intentMessage(shown, intent, 'requires_payment_method', { after: 1 })];
  }

  return async (request: SandboxRequest, id: string): Promise<Reply> => {
    const intent = intents.get(id);
    if (!intent || (intent.status !== 'requires_action' && !intent.threeDs)) {
      return messagePage(404, 'No such challenge');
    }
    const result = request.form()?.get('result');
    if (request.method === 'POST' && (result === 'pass' || result === 'fail')) {
      if (intent.status === 'requires_action') await deliveries.play(end(intent, result), intent.rule);
      const query = `payment_intent=${id}&payment_intent_client_secret=${id}_secret_sandbox`;
      return redirectReply(`${intent.returnUrl}${intent.returnUrl.includes('?') ? '&' : '?'}${query}`);
    }
    return choicePage({
      title: '3D Secure',
      text: 'Approve this payment?',
      action: new URL(shown.stepUrl(intent)).pathname,
      name: 'result',
      values: ['pass', 'fail'],
      summary: {
        money: fromStripeAmount(intent.amount, intent.currency),
        shop: ACCOUNT,
        reference: intent.description ?? id,
      },
    });
  };
}
