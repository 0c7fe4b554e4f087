/** Runs the work with a process clock that is wrong by this much. The clock of the database is unchanged. */
export async function withWrongClock<T>(aheadMs: number, work: () => Promise<T>): Promise<T> {
  const RightDate = Date;
  const read = (): number => RightDate.now() + aheadMs;
  globalThis.Date = new Proxy(RightDate, {
    construct: (target, given: unknown[], newTarget): object =>
      Reflect.construct(target, given.length ? given : [read()], newTarget) as object,
    get: (target, member, receiver): unknown => (member === 'now' ? read : Reflect.get(target, member, receiver)),
  });
  try {
    return await work();
  } finally {
    globalThis.Date = RightDate;
  }
}
