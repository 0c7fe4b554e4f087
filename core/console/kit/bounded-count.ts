/** Counts that end at a bound: they say so where they reached it. */
import { html } from '@remix-run/html-template';
import { countedAtMost } from '../../database/backlog.ts';
import type { Cell } from '../../html/dashboard/parts.ts';

/** `isBounded`: this and others beside it were counted until all of them together were so many. */
export function boundedCount(count: number, isBounded = count >= countedAtMost): Cell {
  return isBounded ? html`<data value="${count}">${orMore(count.toLocaleString('en'))}</data>` : count;
}

export function orMore(text: string): string {
  return `${text} or more`;
}

/** Whether they were counted together, and not all of them. */
export function isTruncated(all: readonly { readonly count: number }[]): boolean {
  return all.reduce((sum, { count }) => sum + count, 0) >= countedAtMost;
}
