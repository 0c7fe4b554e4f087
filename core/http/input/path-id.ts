/** Reads ids from paths. */
import { notFound } from '../../base/errors.ts';

/** The text of an int64. An integer that cannot be an id of ours is treated like an id that does not exist yet. */
export const integerForm = /^(0|-?[1-9]\d{0,18})$/;

/** Throws NF001 if no payment request can have this id. */
export function readPaymentRequestId(text: string | undefined): number {
  const id = Number(text);
  if (!integerForm.test(text ?? '') || !Number.isSafeInteger(id) || id < 1) throw notFound('this payment request');
  return id;
}
