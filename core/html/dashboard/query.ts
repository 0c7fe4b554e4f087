import type { PageContext } from '../context.ts';

/** What an address asks for, by name: what was left empty is not there. */
export type Query = Readonly<Record<string, string | undefined>>;

/** Of a name that comes twice the first counts. */
export function queryOf(ctx: Pick<PageContext, 'query'>): Query {
  return Object.fromEntries(
    Object.entries(ctx.query).flatMap(([name, value]) => {
      const text = (Array.isArray(value) ? value[0] : value)?.trim();
      return text ? [[name, text]] : [];
    }),
  );
}

/** As browsers write it, in UTC; null: it is none. */
export function readTime(text: string | undefined): Date | undefined | null {
  if (text === undefined) return undefined;
  const at = new Date(`${text}Z`);
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text) && !Number.isNaN(at.getTime()) ? at : null;
}

export const notATime = 'A time is like 2026-01-31T12:00.';
