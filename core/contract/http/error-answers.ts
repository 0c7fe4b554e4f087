/** A provider's error answers: the code that each names, and what it means to a call that moves money. */
import {
  misconfigured,
  nothingCharged,
  refusedField,
  unknown,
  type Decline,
  type Outcome,
  type InterfaceField,
} from '../outcome.ts';
import type { HttpReply } from '../provider.ts';

export interface ErrorTable {
  /** The name of the sender in reasons: `the switch`. */
  readonly provider: string;
  /** The code that an error answer names; undefined if it names none. */
  readonly codeOf: (reply: HttpReply) => string | undefined;
  /**
   * `<status> <code>` of the answers in which the provider says that nothing was charged. Every 429 says so too, unless
   * one is listed here: then only the listed ones do.
   */
  readonly nothingCharged: readonly string[];
  /** `<status> <code>` of the answers that refuse our account or keys, and what to check in that case. */
  readonly misconfigured: Readonly<Record<string, string>>;
  /** What to check if an answer refuses our account or keys, which its code alone does not show; else undefined. */
  readonly saysMisconfigured?: (reply: HttpReply) => string | undefined;
  /** Decides whether an answer says that nothing was charged, if the code alone does not show it. */
  readonly saysNothingCharged?: (reply: HttpReply) => boolean;
  /**
   * The interface's field whose value the answer refuses; undefined if it refuses none. Such an answer says that
   * nothing was charged, and for a refund that nothing was given back.
   */
  readonly refusedField?: (reply: HttpReply, code: string) => InterfaceField | undefined;
  /** The decline, if the answer says that the payment was declined. A refund with such an answer gave nothing back. */
  readonly declined?: (reply: HttpReply, code: string) => Decline | undefined;
  /** `<status> <code>` of the answers that refuse a refund. They say nothing about a payment. */
  readonly refundRefused?: readonly string[];
}

export interface ErrorAnswers {
  /** The code (empty if the answer names none), and a description of the answer. */
  read(reply: HttpReply): { readonly code: string; readonly named: string };
  /** What the answer means to a payment: declined, certainly nothing charged, or unknown. */
  toOutcome(reply: HttpReply): Outcome;
  /** What the answer means to a refund, which has no decline: certainly nothing given back, or unknown. */
  toRefundOutcome(reply: HttpReply): Outcome;
}

/** Only the provider's own statement proves that nothing was charged. An answer that the table lacks is unknown. */
export function errorAnswers(table: ErrorTable): ErrorAnswers {
  const read: ErrorAnswers['read'] = (reply) => {
    const code = table.codeOf(reply) ?? '';
    return { code, named: `${table.provider} answered ${reply.status} ${code}`.trimEnd() };
  };
  const lists429 = table.nothingCharged.some((answer) => answer.startsWith('429 '));
  const toFailure = (reply: HttpReply): Outcome => {
    const { code, named } = read(reply);
    const answer = `${reply.status} ${code}`;
    const toCheck = Object.hasOwn(table.misconfigured, answer)
      ? table.misconfigured[answer]
      : table.saysMisconfigured?.(reply);
    if (toCheck !== undefined) return misconfigured(`${named}: check ${toCheck}`);
    const field = table.refusedField?.(reply, code);
    if (field !== undefined) return refusedField(field, named);
    const isCertain =
      (reply.status === 429 && !lists429) ||
      table.nothingCharged.includes(answer) ||
      table.saysNothingCharged?.(reply) === true;
    return isCertain ? nothingCharged(named) : unknown(named);
  };
  return {
    read,
    toOutcome(reply) {
      const decline = table.declined?.(reply, read(reply).code);
      if (decline) return { outcome: 'failed', ...decline };
      return toFailure(reply);
    },
    toRefundOutcome(reply) {
      const { code, named } = read(reply);
      const isRefused =
        table.declined?.(reply, code) !== undefined || table.refundRefused?.includes(`${reply.status} ${code}`);
      return isRefused ? nothingCharged(named) : toFailure(reply);
    },
  };
}

/**
 * The interface's field that the provider calls by this path, such as `card[number]` or `payer.mail`. `names` has whole
 * paths or last parts of them. Undefined if `names` has neither.
 */
export function fieldNamed(names: Readonly<Record<string, InterfaceField>>, path: string): InterfaceField | undefined {
  const last = path.split(/[.[\]/]+/).findLast((part) => part !== '');
  const name = [path, last].find((one) => one !== undefined && Object.hasOwn(names, one));
  return name === undefined ? undefined : names[name];
}
