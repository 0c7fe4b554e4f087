/** What the tests of this adapter share: options, calls that are answered by script. */
import { v, type HttpReply, type Outcome, type Provider, type StoredPayment, type Submission } from '@gateway/contract';
import { reply, sampleStored, sampleSubmission, scriptedHttp, scriptedProvider } from '@gateway/contract/testing';
import upi from '../index.ts';
import { Options } from '../options.ts';

export const options: Options = v.parse(Options, {
  baseUrl: 'https://switch.upi.example',
  sandboxBaseUrl: 'https://sandbox.switch.upi.example',
  merchantId: 'MID1',
  salts: { '1': 'salt-older', '7': 'salt-nëwer', '999': 'salt-highest' },
  saltIndex: '7',
});

export const now = new Date('2026-03-02T09:15:30.250Z');

const { card: _card, ...cardless } = sampleSubmission;
const inr = { money: { amount: '25.9', currency: 'INR' }, unit: 'INR' };
export const submission: Submission = { ...cardless, ...inr, upiId: 'asha@okbank' };
export const stored: StoredPayment = { ...sampleStored('U001', now), ...inr, method: 'upi_collect' };

/** A transaction as an answer shows it, about `submission` and `stored`. */
export function shown(state: string, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const about = { u_txn: 'U001', gw_ref: 'GW-10042-1', mid: 'MID1', mode: 'COLLECT', paise: 2590 };
  return { ...about, state, vpa: null, rrn: null, why: null, link: null, qr: null, lapses: now.getTime(), ...more };
}

/** Makes a call that the given answer answers. */
export function answered<T>(answer: HttpReply, call: (provider: Provider<Options>) => Promise<T>): Promise<T> {
  return call(scriptedProvider({ options, now, http: scriptedHttp([answer]) }));
}

export function submit(answer: HttpReply, payment: Submission = submission): Promise<Outcome> {
  return answered(answer, (provider) => upi.submit(payment, provider));
}

/** `stored` before the switch's number is known. */
const { providerReference: _number, ...rest } = stored;
export const nameless: StoredPayment = rest;

/** A good answer that shows a transaction. */
export function taken(data: unknown): HttpReply {
  return reply(200, { ok: true, code: 'TAKEN', data });
}

/** An error answer; its text is nobody's to repeat. */
export function refusal(status: number, code: string): HttpReply {
  return reply(status, { ok: false, code, text: 'asha@okbank' });
}
