/** The answers of B's side: pairs with a line feed after each, `end=1` last. */
import { writeForm } from '@paywright/contract';
import type { Reply } from '@paywright/contract/sandbox';

type Pairs = Readonly<Record<string, string>>;

export function answerReply(kind: string, pairs: Pairs): Reply {
  const lines = Object.entries({ kind, ...pairs, end: '1' }).map(([name, value]) => writeForm({ [name]: value }));
  return {
    status: 200,
    headers: { 'Content-Type': 'text/html;charset=utf-8' },
    body: lines.map((line) => `${line}\n`).join('&'),
  };
}

export function problem(code: string, note: string, more: Pairs = {}): Reply {
  return answerReply('problem', { code, note, ...more });
}

export const problems = {
  field: (field: string) => problem('101', `${field} missing or wrong`, { field }),
  control: problem('102', 'control wrong'),
  unknownCaller: problem('103', 'endpoint or login unknown'),
  currency: problem('104', 'currency not open', { field: 'cur' }),
  noOrder: problem('110', 'no such order'),
  otherValues: problem('120', 'reference used with other values'),
  inWork: problem('121', 'reference in work'),
  tooMuch: problem('130', 'more than is left'),
  notApproved: problem('131', 'not approved'),
  wrongCode: (left: number) => problem('140', 'wrong code', { left: String(left) }),
  noCodeAwaited: problem('141', 'no code is awaited'),
} as const;

/** Whether an answer is stored: B accepted or declined the request. */
export function isKept({ status, body = '' }: Reply): boolean {
  return status === 200 && !String(body).startsWith('kind=problem');
}

/** The stored answer for a repetition. */
export function repeated(stored: Reply): Reply {
  return { ...stored, body: String(stored.body).replace(/&end=1\n$/, '&repeat=1\n&end=1\n') };
}

/** An answer that stops inside `b_txn`, its second pair (rule `.53`). */
export function stopped(reply: Reply): Reply {
  return { ...reply, body: String(reply.body).replace(/(&b_txn=\d{5})[^]*$/, '$1') };
}
