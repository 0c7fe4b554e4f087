/** Shows counts that stop at a maximum. A count that reached the maximum is shown as "or more". */
import { html } from '@remix-run/html-template';
import { countedAtMost } from '../../database/backlog.ts';
import type { Cell } from '../../html/components/parts.ts';

/** `isBounded`: several counts share one maximum, and together they reached it. */
export function boundedCount(count: number, isBounded = count >= countedAtMost): Cell {
  return isBounded ? html`<data value="${count}">${orMore(count.toLocaleString('en'))}</data>` : count;
}

export function orMore(text: string): string {
  return `${text} or more`;
}

/** True if counts that share one maximum reached it together. */
export function isTruncated(all: readonly { readonly count: number }[]): boolean {
  return all.reduce((sum, { count }) => sum + count, 0) >= countedAtMost;
}
