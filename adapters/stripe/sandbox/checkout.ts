/**
 * Checkout: the sessions, and the page at which the payer pays, is declined and may try again, gives up, or runs out of
 * time.
 */
import {
  BoundedMap,
  choicePage,
  faulty,
  messagePage,
  newId,
  redirectReply,
  troubleBefore,
  type Deliveries,
  type Message,
  type Repetitions,
  type Reply,
  type SandboxRequest,
} from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { fromStripeAmount } from '../wire.ts';
import { openIntent, ruleOf, type Intent } from './payments.ts';
import { ACCOUNT, presentSession, type SessionFacts } from './present.ts';
import { passStep, sessionMessage, settle, type Shown } from './reports.ts';
import {
  errorReply,
  ExpireRequest,
  missing,
  ok,
  readPost,
  refuseCaller,
  repeated,
  SessionRequest,
  trouble,
} from './requests.ts';

interface CheckoutDeps {
  readonly options: Options;
  readonly shown: Shown;
  readonly deliveries: Deliveries;
  readonly repetitions: Repetitions;
  readonly isFirst: (key: string) => boolean;
  readonly keepIntent: (intent: Intent) => void;
  readonly present: (intent: Intent) => object;
}

interface Session {
  readonly facts: SessionFacts;
  readonly asked: SessionRequest;
  /** Present after the first card was tried. */
  intent?: Intent;
}

export function createCheckout({
  options,
  shown,
  deliveries,
  repetitions,
  isFirst,
  keepIntent,
  present,
}: CheckoutDeps) {
  const sessions = new BoundedMap<string, Session>();
  const { livemode } = shown;

  async function create(request: SandboxRequest): Promise<Reply> {
    const asking = readPost(request, options, SessionRequest);
    if ('refused' in asking) return asking.refused;
    const { asked, key } = asking;
    const { currency, unit_amount: amount } = asked.line_items[0].price_data;
    const make = (): Reply => {
      const refused = troubleBefore(ruleOf(amount, currency), () => isFirst(key), trouble);
      if (refused) return refused;
      const facts: SessionFacts = {
        id: newId(`cs_${livemode ? 'live' : 'test'}_`, 24),
        amount,
        currency,
        reference: asked.client_reference_id,
        successUrl: asked.success_url,
        cancelUrl: asked.cancel_url,
        created: Math.floor(Date.now() / 1000),
        status: 'open',
      };
      sessions.set(facts.id, { facts, asked });
      return faulty(ok(presentSession(facts, livemode, shown.pageUrl(facts), undefined)), ruleOf(amount, currency));
    };
    return repetitions.answer(`session ${key}`, request.body, make, repeated);
  }

  function read(request: SandboxRequest, id: string): Reply {
    const refused = refuseCaller(request, options);
    if (refused) return refused;
    const session = sessions.get(id);
    if (!session) return missing('checkout.session', id);
    const { facts, intent } = session;
    const isExpanded = request.query.includes('payment_intent');
    return ok(
      presentSession(facts, livemode, shown.pageUrl(facts), intent && (isExpanded ? present(intent) : intent.id)),
    );
  }

  async function page(request: SandboxRequest, id: string): Promise<Reply> {
    const session = sessions.get(id);
    if (session?.facts.status !== 'open') return messagePage(404, 'No such session, or it has ended');
    const { facts } = session;
    const choice = request.method === 'POST' ? request.form()?.get('result') : undefined;
    if (choice === 'back') return redirectReply(facts.cancelUrl);
    if (choice === 'expire') {
      facts.status = 'expired';
      await deliveries.play([sessionMessage(shown, facts, session.intent, 1)]);
      return redirectReply(facts.cancelUrl);
    }
    if (choice === 'pay' || choice === 'decline') {
      const intent = (session.intent ??= intentOf(session));
      keepIntent(intent);
      await deliveries.play(choice === 'pay' ? pay(session, intent) : refuse(intent), intent.rule);
      return redirectReply(choice === 'pay' ? facts.successUrl : shown.pageUrl(facts));
    }
    if (choice === 'debit') {
      const intent = (session.intent ??= intentOf(session));
      keepIntent(intent);
      await deliveries.play(debit(session, intent), intent.rule);
      return redirectReply(facts.successUrl);
    }
    return choicePage({
      title: 'Checkout',
      action: new URL(shown.pageUrl(facts)).pathname,
      name: 'result',
      values: ['pay', 'decline', 'debit', 'back', 'expire'],
      summary: {
        money: fromStripeAmount(facts.amount, facts.currency),
        shop: ACCOUNT,
        reference: facts.reference,
      },
    });
  }

  function pay({ facts }: Session, intent: Intent): readonly Message[] {
    facts.status = 'complete';
    Object.assign(intent, { card: { kind: 'approved' }, failure: undefined });
    const messages = intent.demand === undefined ? settle(shown, intent) : passStep(shown, intent);
    return [...messages, sessionMessage(shown, facts, intent, messages.length + 1)];
  }

  /** The payer pays by a debit of a bank account, which the bank returns later. */
  function debit({ facts }: Session, intent: Intent): readonly Message[] {
    facts.status = 'complete';
    const card = { kind: 'pending_declined', decline: '05' };
    Object.assign(intent, { card, status: 'processing', failure: undefined });
    const messages = settle(shown, intent);
    return [sessionMessage(shown, facts, intent, 1), ...messages];
  }

  function refuse(intent: Intent): readonly Message[] {
    Object.assign(intent, { card: { kind: 'declined', decline: '05' } });
    return settle(shown, intent);
  }

  async function expire(request: SandboxRequest, id: string): Promise<Reply> {
    const asking = readPost(request, options, ExpireRequest);
    if ('refused' in asking) return asking.refused;
    const session = sessions.get(id);
    if (!session) return missing('checkout.session', id);
    const { facts, intent } = session;
    if (facts.status !== 'open') {
      return errorReply(400, undefined, `Only Checkout Sessions with a status in ["open"] can be expired.`);
    }
    facts.status = 'expired';
    await deliveries.play([sessionMessage(shown, facts, intent, 1)]);
    return ok(presentSession(facts, livemode, shown.pageUrl(facts), intent && present(intent)));
  }

  return { create, read, page, expire };
}

function intentOf({ facts, asked }: Session): Intent {
  const { amount, currency, successUrl: returnUrl } = facts;
  const { metadata, description, capture_method } = asked.payment_intent_data;
  const demand = asked.payment_method_options?.card.request_three_d_secure;
  const isManual = capture_method === 'manual';
  return openIntent({ amount, currency, metadata, description, demand, isManual, returnUrl }, '4242424242424242');
}
