/** The type of a console action, and readers of the fields of its form. */
import type { Actor } from '../../engine/audit/index.ts';
import { GatewayError, invalidField } from '../../base/errors.ts';
import type { Confirmation } from '../../html/components/form.ts';
import type { ReceivedFile } from '../../http/input/receive-upload.ts';
import type { OneTimeResult } from '../../http/submit-once.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { Section } from './page.ts';
import type { FormValues, LargeUpload } from './form-values.ts';

export interface ConsoleAction {
  /** `:id` names the subject of the action. */
  readonly path: string;
  /** The section of the page that shows an error of the action. */
  readonly section: Section;
  /** The least role, which may depend on what the form asks for. */
  readonly role: 'support' | 'admin' | ((values: FormValues) => 'support' | 'admin');
  /** What the operator must confirm first; then the action runs once. Absent or undefined: the action is harmless. */
  readonly effect?: (deps: ConsoleDeps, id: string, values: FormValues) => Promise<Confirmation | undefined>;
  /**
   * What the page says afterwards, such as `Alarm acknowledged.`, unless `run` says it. It must be true: "requested" if
   * the outcome is not known yet.
   */
  readonly done?: string;
  /** The name of the action if it fails: `Refund` gives "Refund failed." */
  readonly label: string;
  /** The field of the form that takes a file. Absent: the form has no such field. */
  readonly upload?: string | LargeUpload;
  /** Rejects with a `GatewayError` that gives the reason. */
  readonly run: (
    deps: ConsoleDeps,
    by: Actor,
    id: string,
    values: FormValues,
    more: ActionOptions,
  ) => Promise<ActionResult | undefined | void>;
  /** The address of the page that is shown afterwards. */
  readonly back: (deps: ConsoleDeps, id: string, values: FormValues) => string | Promise<string>;
}

export interface ActionOptions {
  /** The file that was chosen in the field `upload`. */
  readonly file?: Uint8Array;
  /** The large file that was chosen. The action closes its handle, unless it rejects. */
  readonly stored?: ReceivedFile;
  /** Identifies a confirmed action. It is the same for every repetition. */
  readonly operationId?: string;
}

/**
 * A page that is shown once, the address of a page that follows the work, or what the action did. `isAudited` false: it
 * only concerns the operator's own pages.
 */
export type ActionResult =
  OneTimeResult | { readonly leadsTo: string } | { readonly done: string; readonly isAudited?: false };

/** The form was on no page of this session. */
export function foreignFormError(): GatewayError {
  return new GatewayError('FORBIDDEN', 'this form belongs to another session: reload the page');
}

/** Gives 0, which is the id of no payment, if the text is not a number. */
export function paymentIdOf(id: string): number {
  return /^\d{1,15}$/.test(id) ? Number(id) : 0;
}

export function reasonOf({ reason = '' }: FormValues): string | undefined {
  return reason === '' ? undefined : reason;
}

/** Throws VAL002 if no reason was given. */
export function requireReason(values: FormValues): string {
  const reason = reasonOf(values);
  if (reason === undefined) throw invalidField('reason', '', 'must say why: it is recorded in the audit log');
  return reason;
}
