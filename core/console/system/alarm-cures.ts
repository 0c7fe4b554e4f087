/** The forms on the page of an alarm that fix its cause directly. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { adapterOf, partsOf } from '../../engine/alarms/index.ts';
import { amountText, moneyText } from '../../base/text/money-text.ts';
import type { Alarm } from '../../database/collections/alarm.ts';
import type { NextAction, PaymentDetails } from '../../engine/payments/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import { actionForm } from '../kit/action-form.ts';
import { buttons } from '../kit/buttons.ts';
import { hidden, textField, type ActionForm } from '../../html/components/parts.ts';
import type { Session } from '../sign-in/session.ts';

interface CureForm extends ActionForm {
  readonly role: 'support' | 'admin';
}

/** Null: nothing can be done here, or the role of the operator may not do it. */
export async function cureForms(
  { owners }: Pick<ConsoleDeps, 'owners'>,
  session: Session,
  alarm: Alarm,
  payment: PaymentDetails | undefined,
): Promise<SafeHtml | null> {
  const { name } = partsOf(alarm.subject);
  const merchant = alarm.subject.type === 'owner' ? (await owners.get(Number(name)))?.name : undefined;
  const cures = payment ? paymentCures(payment) : otherCures(alarm, merchant);
  const forms = cures.map(({ role, ...form }) => actionForm(session, role, form)).filter((form) => form !== null);
  return forms.length === 0 ? null : html`<div class="acts">${forms}</div>`;
}

/** The actions that the next steps of the payment name. */
function paymentCures(payment: PaymentDetails): readonly CureForm[] {
  const acts = new Map(
    payment.next.flatMap(({ acts: all = [] }) =>
      all.map((one) => [JSON.stringify({ ...one, amount: undefined }), one]),
    ),
  );
  return [...acts.values()].flatMap((act) => paymentCure(payment, act) ?? []);
}

function paymentCure({ money }: PaymentDetails, { act, id, charge, amount }: NextAction): CureForm | undefined {
  switch (act) {
    case 'reconcile':
      return { role: 'support', action: `/ops/payments/${id}/reconcile`, label: buttons.reconcile };
    case 'refund': {
      const found =
        money.charges.find((one) => one.charge === charge) ?? (charge === undefined ? money.charges[0] : undefined);
      if (!found) return undefined;
      return {
        role: 'admin',
        action: `/ops/payments/${id}/refund`,
        label: buttons.refund,
        fields: html`${hidden({ charge: money.doubleCharges.length > 0 ? found.reference : undefined })}
        ${textField({
          name: 'amount',
          label: `Amount (at most ${moneyText(found.left, found.currency)})`,
          inputMode: 'decimal',
          value: amountText(amount ?? found.left, found.currency),
        })}`,
        isDangerous: true,
      };
    }
    case 'resend':
      return { role: 'support', action: `/ops/notifications/${id}/resend`, label: `${buttons.resend} ${id}` };
    case 'requeue':
      return { role: 'support', action: `/ops/callbacks/${encodeURIComponent(id)}/requeue`, label: 'Retry callback' };
    // These need a note or a decision: the page of the payment or callback has the fields.
    case 'review':
    case 'settle_refund':
    case 'discard':
      return undefined;
  }
}

function otherCures({ kind, subject }: Alarm, merchant: string | undefined): readonly CureForm[] {
  const { type, id } = subject;
  const { name, environment, about: origin } = partsOf(subject);
  if (type === 'callback')
    return [{ role: 'support', action: `/ops/callbacks/${encodeURIComponent(id)}/requeue`, label: 'Retry callback' }];
  if (type === 'job') return [{ role: 'support', action: `/ops/jobs/${id}/run`, label: 'Run job now' }];
  if (kind === 'endpoint_disabled' && origin !== undefined) {
    const fields = hidden({ origin, environment });
    const action = `/ops/merchants/${name}/endpoints`;
    return [
      { role: 'support', action: `${action}/test`, label: 'Send a test event', fields },
      { role: 'support', action: `${action}/enable`, label: 'Enable endpoint', fields },
    ];
  }
  if (kind === 'notifications_exhausted' && merchant !== undefined) {
    const fields = hidden({ state: 'exhausted', owner: merchant });
    return [{ role: 'admin', action: '/ops/notifications/resend', label: 'Resend all failed', fields }];
  }
  const isAboutProvider = ['breaker_open', 'callbacks_refused', 'provider_misconfigured'].includes(kind);
  return isAboutProvider
    ? [
        {
          role: 'support',
          action: `/ops/adapters/${encodeURIComponent(adapterOf(subject))}/check`,
          label: 'Check connection and credentials',
        },
      ]
    : [];
}
