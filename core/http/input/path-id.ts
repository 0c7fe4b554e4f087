/** Ids in paths. */
import { notFound } from '../../base/errors.ts';

/** An int64 as text, or nearly: what is an integer but no id of ours exists as little as an id not given yet. */
export const integerForm = /^(0|-?[1-9]\d{0,18})$/;

/** NF001 where no payment request can have this id. */
export function readPaymentRequestId(text: string | undefined): number {
  const id = Number(text);
  if (!integerForm.test(text ?? '') || !Number.isSafeInteger(id) || id < 1) throw notFound('this payment request');
  return id;
}
