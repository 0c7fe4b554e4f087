/** The payments of the demo: what is done, and the expected result of each. */
import type { Merchant, Seen } from './merchant.ts';

export interface Scenario {
  readonly title: string;
  readonly card: string;
  readonly amount: string;
  /** The steps after the first answer. */
  readonly afterwards?: (merchant: Merchant, answer: Seen, say: (line: string) => void) => Promise<void>;
  readonly expected: {
    /** HTTP status and code of the answer. */
    readonly answer: string;
    readonly status: number;
    readonly chargedBack: boolean;
    /** In sequence order. */
    readonly notifications: readonly string[];
  };
}

const paid = { answer: '200', status: 2, chargedBack: false };

/** Approved by callback. The demo measures the time from that callback to the notification. */
export const measured: Scenario = {
  title: 'pending, approved by callback',
  card: '4000000000003063',
  amount: '12.00',
  expected: { ...paid, notifications: ['payment.pending', 'payment.succeeded'] },
};

export const scenarios: readonly Scenario[] = [
  {
    title: 'approved',
    card: '4111111111111111',
    amount: '25.90',
    expected: { ...paid, notifications: ['payment.succeeded'] },
  },
  {
    title: 'declined: insufficient funds',
    card: '4000000000009995',
    amount: '19.00',
    expected: { answer: '400 PAY001', status: 3, chargedBack: false, notifications: ['payment.failed'] },
  },
  measured,
  {
    title: '3D Secure passed',
    card: '4000000000003220',
    amount: '80.00',
    afterwards: passChallenge,
    expected: { ...paid, notifications: ['payment.pending', 'payment.succeeded'] },
  },
  {
    title: 'refunded in full',
    card: '5555555555554444',
    amount: '49.90',
    async afterwards(merchant, { id }, say) {
      await merchant.refund(id);
      say('refund requested');
    },
    expected: { ...paid, status: 4, notifications: ['payment.succeeded', 'payment.refunded'] },
  },
  {
    title: 'charged back',
    card: '4000000000000440',
    amount: '35.00',
    expected: { ...paid, chargedBack: true, notifications: ['payment.succeeded', 'payment.charged_back'] },
  },
];

/** Acts like the payer's browser: opens the challenge, presses *pass*, follows the redirect. */
async function passChallenge(_merchant: Merchant, { action }: Seen, say: (line: string) => void): Promise<void> {
  if (!action) throw new Error('the answer has no 3D Secure action');
  const signal = AbortSignal.timeout(15_000);
  const page = await fetch(action.url, { signal });
  if (!page.ok) throw new Error(`the challenge page was answered with ${page.status}`);
  say('payer opens the challenge page and presses "pass"');
  const body = new URLSearchParams({ result: 'pass' });
  const passed = await fetch(action.url, { method: 'POST', body, redirect: 'manual', signal });
  const back = await fetch(passed.headers.get('location') ?? '', { redirect: 'manual', signal });
  say(`payer comes back: ${back.status} to ${new URL(back.headers.get('location') ?? '', action.url).pathname}`);
}
