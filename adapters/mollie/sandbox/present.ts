/** Payments and related objects in Mollie's format: HAL, strings and links. */
import { formatAmount, writeRfc3339, type Money } from '@paywright/contract';
import { toAmount } from '../wire.ts';
import {
  chargedBackOf,
  chargedOf,
  leftOf,
  refundedOf,
  type Capture,
  type Chargeback,
  type Payment,
  type Refund,
} from './books.ts';

type Shown = Readonly<Record<string, unknown>>;

export interface Presenting {
  readonly mode: 'live' | 'test';
  readonly baseUrl: string;
}

const time = (date: Date): string => writeRfc3339(date).replace('Z', '+00:00');
const link = (href: string, type = 'application/hal+json'): Shown => ({ href, type });
const documentation = link('https://docs.mollie.com/reference/overview', 'text/html');

/** The only profile in this sandbox. */
export const PROFILE = 'pfl_sandbox001';

/** How long a card payment stays open. */
const OPEN_MS = 30 * 60_000;

export function presentPayment(payment: Payment, { mode, baseUrl }: Presenting, embed: readonly string[] = []): Shown {
  const { id, status, amount, captureMode, webhookUrl } = payment;
  const api = `${baseUrl}/v2/payments/${id}`;
  const page = link(`${baseUrl}/checkout/${id}`, 'text/html');
  const isPaid = status === 'paid';
  const of = (value: string): Shown => toAmount({ ...amount, amount: value });
  const embedded = {
    ...(embed.includes('captures')
      ? { captures: payment.captures.map((one) => presentCapture(one, id, { mode, baseUrl })) }
      : {}),
    ...(embed.includes('refunds')
      ? { refunds: payment.refunds.map((one) => presentRefund(one, id, { mode, baseUrl })) }
      : {}),
    ...(embed.includes('chargebacks')
      ? { chargebacks: payment.chargebacks.map((one) => presentChargeback(one, id, { mode, baseUrl })) }
      : {}),
  };
  return {
    resource: 'payment',
    id,
    mode,
    createdAt: time(payment.createdAt),
    amount: toAmount(amount),
    description: payment.description,
    method: status === 'open' ? null : (payment.method?.[0] ?? 'creditcard'),
    metadata: payment.metadata,
    status,
    ...(status === 'open'
      ? { isCancelable: false, expiresAt: time(new Date(payment.createdAt.getTime() + OPEN_MS)) }
      : {}),
    ...(isPaid
      ? {
          amountRefunded: of(refundedOf(payment)),
          amountRemaining: of(leftOf(payment)),
          paidAt: time(payment.createdAt),
        }
      : {}),
    ...(isPaid && captureMode === 'manual' ? { amountCaptured: of(chargedOf(payment)) } : {}),
    ...(payment.chargebacks.length > 0 ? { amountChargedBack: of(chargedBackOf(payment)) } : {}),
    profileId: PROFILE,
    sequenceType: 'oneoff',
    redirectUrl: payment.redirectUrl,
    ...(payment.cancelUrl === undefined ? {} : { cancelUrl: payment.cancelUrl }),
    ...(webhookUrl === undefined ? {} : { webhookUrl }),
    ...(captureMode ? { captureMode } : {}),
    ...detailsOf(payment),
    _links: {
      self: link(api),
      ...(status === 'open' ? { checkout: page } : {}),
      ...(isPaid && mode === 'test' ? { changePaymentState: page } : {}),
      dashboard: link(`${baseUrl}/dashboard/${id}`, 'text/html'),
      documentation,
    },
    ...(embed.length > 0 ? { _embedded: embedded } : {}),
  };
}

function detailsOf({ status, failureReason }: Payment): Shown {
  const card = { cardNumber: '1234', cardLabel: 'Visa', cardSecurity: '3dsecure' };
  if (status === 'paid' || status === 'authorized') return { details: card };
  if (status !== 'failed') return {};
  return { details: { failureReason, failureMessage: `The card failed: ${failureReason}.` } };
}

/** The members that refunds, captures and chargebacks share. */
function presentPart(
  resource: 'refund' | 'capture' | 'chargeback',
  { id, amount, createdAt }: { readonly id: string; readonly amount: Money; readonly createdAt: Date },
  paymentId: string,
  { baseUrl }: Presenting,
): Shown {
  const payment = `${baseUrl}/v2/payments/${paymentId}`;
  return {
    resource,
    id,
    amount: { currency: amount.currency, value: formatAmount(amount) },
    paymentId,
    createdAt: time(createdAt),
    _links: { self: link(`${payment}/${resource}s/${id}`), payment: link(payment), documentation },
  };
}

export function presentRefund(refund: Refund, paymentId: string, presenting: Presenting): Shown {
  const { status, description, metadata } = refund;
  const { mode } = presenting;
  return { ...presentPart('refund', refund, paymentId, presenting), mode, status, description, metadata };
}

export function presentCapture(capture: Capture, paymentId: string, presenting: Presenting): Shown {
  const { status, metadata } = capture;
  return { ...presentPart('capture', capture, paymentId, presenting), mode: presenting.mode, status, metadata };
}

function presentChargeback(chargeback: Chargeback, paymentId: string, presenting: Presenting): Shown {
  const reversedAt = chargeback.reversedAt ? time(chargeback.reversedAt) : null;
  return { ...presentPart('chargeback', chargeback, paymentId, presenting), reason: null, reversedAt };
}

/** A page of a list; it holds the complete list. */
export function presentList(name: string, items: readonly Shown[], path: string, { baseUrl }: Presenting): Shown {
  const _links = { self: link(`${baseUrl}${path}`), previous: null, next: null, documentation };
  return { count: items.length, _embedded: { [name]: items }, _links };
}

export function presentProfile({ mode, baseUrl }: Presenting): Shown {
  return {
    resource: 'profile',
    id: PROFILE,
    mode,
    name: 'Sandbox',
    website: 'https://shop.example',
    email: 'shop@shop.example',
    phone: '+31200000000',
    businessCategory: 'OTHER_MERCHANDISE',
    status: 'verified',
    createdAt: '2026-01-01T00:00:00+00:00',
    _links: { self: link(`${baseUrl}/v2/profiles/me`), documentation },
  };
}

export function presentMethod(id: string, { baseUrl }: Presenting): Shown {
  const href = `${baseUrl}/v2/methods/${id}`;
  const picture = `https://www.mollie.com/external/icons/payment-methods/${id}`;
  return {
    resource: 'method',
    id,
    description: id,
    minimumAmount: { currency: 'EUR', value: '0.01' },
    maximumAmount: null,
    image: { size1x: `${picture}.png`, size2x: `${picture}%402x.png`, svg: `${picture}.svg` },
    status: 'activated',
    _links: { self: link(href), documentation },
  };
}
