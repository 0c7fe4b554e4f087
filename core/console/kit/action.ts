/** What an act of the console is, and what its form says. */
import { isDecimal } from '@paywright/contract';
import type { Actor } from '../../engine/audit/index.ts';
import { GatewayError, invalidField } from '../../base/errors.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { Section } from './page.ts';
import type { FormValues } from './form-values.ts';

export interface ConsoleAction {
  /** `:id` names what it is about. */
  readonly path: string;
  /** Where what is wrong with it is said. */
  readonly section: Section;
  readonly role: 'support' | 'admin';
  /** The sentence that is to be agreed to first, and then it is done once; absent: it harms nothing. */
  readonly effect?: (deps: ConsoleDeps, id: string, values: FormValues) => Promise<string>;
  /** The field of its form that a file may be chosen for; absent: there is none. */
  readonly upload?: string;
  /** Rejects with a `GatewayError` that says why not. */
  readonly run: (
    deps: ConsoleDeps,
    by: Actor,
    id: string,
    values: FormValues,
    more: ActionOptions,
  ) => Promise<ActionResult | undefined | void>;
  /** Where one is afterwards. */
  readonly back: (deps: ConsoleDeps, id: string, values: FormValues) => string | Promise<string>;
}

export interface ActionOptions {
  /** What was chosen for `upload`. */
  readonly file?: Uint8Array;
  /** Of what was agreed to: the same at every repetition of it. */
  readonly operationId?: string;
}

export type ActionResult = OneTimeResult | { readonly leadsTo: string };

/** What is shown on a page of its own, such as a secret that cannot be had again. */
export interface OneTimeResult {
  readonly title: string;
  readonly lines: readonly (readonly [name: string, value: string])[];
  /** What the link away from it says. */
  readonly seen?: string;
}

/** It was on no page of this session. */
export function foreignFormError(): GatewayError {
  return new GatewayError('FORBIDDEN', 'this form is of another session: load its page again');
}

/** What is no number names no payment. */
export function paymentIdOf(id: string): number {
  return /^\d{1,15}$/.test(id) ? Number(id) : 0;
}

export function amountOf({ amount = '' }: FormValues): string | undefined {
  if (amount === '') return undefined;
  if (!isDecimal(amount)) throw invalidField('amount', amount, 'must be a decimal number');
  return amount;
}

export function reasonOf({ reason = '' }: FormValues): string | undefined {
  return reason === '' ? undefined : reason;
}

/** Throws VAL002 where nobody said why. */
export function requireReason(values: FormValues): string {
  const reason = reasonOf(values);
  if (reason === undefined) throw invalidField('reason', '', 'says why, for the audit');
  return reason;
}
