/** How long a replaced key or secret stays valid in addition to its replacement. */
import { invalidField } from '../../base/errors.ts';

export interface Overlap {
  /** 0 to 168 hours, 24 by default. */
  readonly overlapHours?: number;
}

const hourMs = 3_600_000;

/** Returns the time when the overlap ends. Throws VAL002 `overlapHours`. */
export function readOverlapEnd({ overlapHours = 24 }: Overlap, now: Date): Date {
  if (!(overlapHours >= 0 && overlapHours <= 168)) {
    throw invalidField('overlapHours', overlapHours, 'must be 0 to 168 hours');
  }
  return new Date(now.getTime() + overlapHours * hourMs);
}
