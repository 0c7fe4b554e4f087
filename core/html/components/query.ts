import { readInstant } from '../../base/text/read-time.ts';
import type { PageContext } from '../context.ts';

/** The values of the query by name. Empty values are left out. */
export type Query = Readonly<Record<string, string | undefined>>;

/** If a name occurs twice, the first value counts. */
export function queryOf(ctx: Pick<PageContext, 'query'>): Query {
  return Object.fromEntries(
    Object.entries(ctx.query).flatMap(([name, value]) => {
      const text = (Array.isArray(value) ? value[0] : value)?.trim();
      return text ? [[name, text]] : [];
    }),
  );
}

/** The id in an address like `/ops/payments/:id`; empty if the form has no id. Undefined: it is another address. */
export function idIn(form: string, path: string): string | undefined {
  const [before = '', after] = form.split(':id');
  if (after === undefined) return path === form ? '' : undefined;
  const id = path.slice(before.length, path.length - after.length);
  if (path !== `${before}${id}${after}` || !/^[^/]+$/.test(id)) return undefined;
  try {
    return decodeURIComponent(id);
  } catch {
    return undefined; // The encoding is not valid.
  }
}

/** Reads a time as browsers write it, in UTC. Null if the text is not a time. */
export function readTime(text: string | undefined): Date | undefined | null {
  if (text === undefined) return undefined;
  return readInstant(text) ?? null;
}

export const notATime = 'Enter a time like 2026-01-31T12:00.';
