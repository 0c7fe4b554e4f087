/** The switch's options and answers; the harness makes the payment, the calls and the callbacks. */
import type { HttpReply } from '@paywright/contract';
import { createAdapterHarness, reply } from '@paywright/contract/testing';
import upi from '../index.ts';

export const harness = createAdapterHarness(upi, {
  options: {
    baseUrl: 'https://switch.upi.example',
    sandboxBaseUrl: 'https://sandbox.switch.upi.example',
    merchantId: 'MID1',
    salts: { '1': 'salt-older', '7': 'salt-nëwer', '999': 'salt-highest' },
    saltIndex: '7',
  },
  now: new Date('2026-03-02T09:15:30.250Z'),
  input: 'upi',
  payment: { money: { amount: '25.9', currency: 'INR' }, unit: 'INR' },
  stored: { providerReference: 'U001' },
});

/** A transaction about the sample payment, as an answer shows it. */
export function shown(state: string, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const about = { u_txn: 'U001', gw_ref: 'GW-10042-1', mid: 'MID1', mode: 'COLLECT', paise: 2590 };
  const lapses = harness.now.getTime();
  return { ...about, state, vpa: null, rrn: null, why: null, link: null, qr: null, lapses, ...more };
}

/** A good answer that shows a transaction. */
export function taken(data: unknown): HttpReply {
  return reply(200, { ok: true, code: 'TAKEN', data });
}

/** An error answer. Its text holds the payer's UPI id, which must not be repeated. */
export function refusal(status: number, code: string): HttpReply {
  return reply(status, { ok: false, code, text: 'asha@okbank' });
}
