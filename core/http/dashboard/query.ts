import type { Ctx } from '../state.ts';

/** What an address asks for, by name: what was left empty is not there. */
export type Query = Readonly<Record<string, string | undefined>>;

/** Of a name that comes twice the first counts. */
export function queryOf(ctx: Pick<Ctx, 'query'>): Query {
  return Object.fromEntries(
    Object.entries(ctx.query).flatMap(([name, value]) => {
      const text = (Array.isArray(value) ? value[0] : value)?.trim();
      return text ? [[name, text]] : [];
    }),
  );
}
