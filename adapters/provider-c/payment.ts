/** The payment as C wants it: sent server to server, or as a form that the payer's browser posts to C's page. */
import {
  formatAmount,
  type Action,
  type BrowserInfo,
  type Card,
  type Provider,
  type Submission,
} from '@gateway/contract';
import { withoutSeparators, type Fields } from './wire.ts';
import { forwardHash } from './signing.ts';
import type { Account, Options } from './options.ts';

/** How long the form of the hosted page may be posted. */
const PAGE_SECONDS = 1800;

/** The interface's order. */
const browserMembers = [
  'acceptHeader',
  'colorDepth',
  'ip',
  'javaEnabled',
  'javascriptEnabled',
  'language',
  'screenHeight',
  'screenWidth',
  'timezone',
  'userAgent',
] as const satisfies readonly (keyof BrowserInfo)[];

/** A payment with the card in it. */
export function paymentFields(payment: Submission, card: Card, account: Account, provider: Provider<Options>): Fields {
  const { payer, wallet, captureDelayHours } = payment;
  const fields = {
    ...orderFields(payment, account),
    c_phone: payer.phoneNumber,
    c_addr: payer.address,
    c_city: payer.city,
    c_region: payer.state,
    c_zip: payer.postalCode,
    c_land: payer.country,
    c_ip: payer.ipAddress ?? undefined,
    ...ownFields(payment),
    c_pan: card.number.replace(/\D/g, ''),
    c_exp: card.expiryMonth + card.expiryYear.slice(-2),
    c_cvv: card.cvv,
    c_hold: captureDelayHours === undefined ? undefined : String(captureDelayHours),
    c_sec: threeDsWish(payment),
    c_browser: browserText(payment.browserInfo),
    c_wtype: wallet?.walletType,
    c_wauth: wallet?.authenticationValue,
    c_wxid: wallet?.xid,
    c_weci: wallet?.eci,
    ...addresses(provider),
    c_3ds: `${provider.publicUrl}/callbacks/3ds`,
  };
  return signed(fields, account);
}

/** The way to C's page, where the payer types the card. */
export function pageAction(payment: Submission, account: Account, provider: Provider<Options>): Action {
  const fields = {
    ...orderFields(payment, account),
    ...ownFields(payment),
    c_sec: threeDsWish(payment),
    ...addresses(provider),
    c_until: String(Math.floor(provider.now().getTime() / 1000) + PAGE_SECONDS),
  };
  return { type: 'redirect', method: 'POST', url: `${provider.baseUrl}/v1/page`, fields: signed(fields, account) };
}

function orderFields({ reference, money, payer }: Submission, { key }: Account) {
  return {
    c_key: key,
    c_ref: reference,
    c_total: formatAmount(money),
    c_item: `Payment ${reference}`,
    c_name: payer.name,
    c_mail: payer.email,
  };
}

/** Free for us, and covered by every hash. */
function ownFields({ paymentRequestId }: Submission) {
  return { x1: paymentRequestId, x2: '', x3: '', x4: '', x5: '' };
}

function addresses(provider: Provider<Options>) {
  return { c_note: provider.callbackUrl('providerC'), c_back: provider.callbackUrl('providerChp') };
}

function threeDsWish({ is3ds }: Submission): string {
  return is3ds === undefined ? 'auto' : is3ds ? 'must' : 'skip';
}

function browserText(browserInfo: BrowserInfo | undefined): string | undefined {
  const json = JSON.stringify(browserInfo ?? {}, [...browserMembers]);
  return json === '{}' ? undefined : Buffer.from(json).toString('base64');
}

/** The fields as they are sent, with the hash behind them. */
function signed<F extends Fields>(fields: F, account: Account): F & { readonly c_hash: string } {
  const sent = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value === undefined ? value : withoutSeparators(value)]),
  ) as F;
  return { ...sent, c_hash: forwardHash(account, sent) };
}
