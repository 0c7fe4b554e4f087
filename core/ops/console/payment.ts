/** One payment: what it is, its money, what happens next, and all that happened. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { notFound } from '../../errors.ts';
import { happeningsOf, moneyText, wayText, type PaymentStory } from '../../payments/index.ts';
import { badge, fact, given, table, textField, time } from '../../http/dashboard/parts.ts';
import { actForm } from './act-form.ts';
import type { ConsoleDeps } from './deps.ts';
import type { Session } from './session.ts';

/** Throws NF001 where there is none. */
export async function paymentPage(deps: ConsoleDeps, id: number, session: Session): Promise<SafeHtml> {
  const story = await deps.story(id);
  if (!story) throw notFound(`payment request ${id}`);
  const merchant = (await deps.owners.get(story.ownerId))?.name ?? `owner ${story.ownerId}`;
  const { status, chargedBack, amount, unit, environment, createdAt, referenceId, email, attempts, next } = story;
  const latest = attempts.at(-1);
  return html`<p>
      ${badge(status)} ${chargedBack ? html`<span class="badge bad">charged back</span>` : null}
      ${moneyText(amount, unit)} for ${merchant} (${environment}),
      ${latest ? `by ${wayText(latest)} at ${latest.adapter}` : 'never submitted'}, made ${time(createdAt)}
    </p>
    <dl class="facts">
      ${fact('Reference of the merchant', given(referenceId))} ${fact('Payer', email ?? '–')} ${moneyFacts(story)}
    </dl>
    <h2>What happens next</h2>
    ${table({
      caption: 'What happens next',
      head: ['When', 'What'],
      rows: next.map(({ at, what }) => [at === null ? 'waits for somebody' : time(at), what]),
      empty: 'Nothing: all is done.',
    })}
    ${actsOf(story, session)}
    <h2>What happened</h2>
    ${table({
      caption: 'What happened, in order',
      head: ['When', 'What', 'Details'],
      rows: happeningsOf(story).map(({ at, kind, text }) => [time(at, { precise: true }), kind, given(text)]),
      empty: 'Nothing yet.',
    })}`;
}

function moneyFacts({ money }: PaymentStory): SafeHtml {
  const { currency, paid, refunded, disputed, fee, net, leftToRefund } = money;
  if (currency === null) return fact('Paid', 'nothing');
  const text = (amount: string): string => moneyText(amount, currency);
  return html`${fact('Paid', text(paid))} ${fact('Refunded', text(refunded))} ${fact('Disputed', text(disputed))}
  ${fact('Fee', fee === null ? 'unknown' : text(fee))} ${net === null ? null : fact('Net', text(net))}
  ${fact('Left to refund', text(leftToRefund))}`;
}

function actsOf({ id, money, status, attempts }: PaymentStory, session: Session): SafeHtml {
  const why = textField({ name: 'reason', label: 'Why, for the audit' });
  const canRefund = money.currency !== null && Number(money.leftToRefund) > 0;
  const canCancel = status === 'created' || status === 'pending' || attempts.at(-1)?.isAuthorised === true;
  const amount = textField({
    name: 'amount',
    label: `Amount, at most ${money.leftToRefund}`,
    value: money.leftToRefund,
  });
  const forms = [
    attempts.length > 0
      ? actForm(session, 'support', { action: `/ops/payments/${id}/reconcile`, label: 'Ask the provider now' })
      : null,
    canRefund
      ? actForm(session, 'admin', {
          action: `/ops/payments/${id}/refund`,
          label: 'Refund',
          fields: html`${amount}${why}`,
          isDangerous: true,
        })
      : null,
    canCancel
      ? actForm(session, 'admin', {
          action: `/ops/payments/${id}/cancel`,
          label: 'Cancel',
          fields: why,
          isDangerous: true,
        })
      : null,
  ].filter((form) => form !== null);
  return forms.length === 0
    ? html``
    : html`<h2>What you can do</h2>
        <div class="acts">${forms}</div>`;
}
