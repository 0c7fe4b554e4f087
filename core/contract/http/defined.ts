/** Helpers for optional members. */

/** `T` without the members that would be undefined. */
export type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Keeps only the members that have a value. An optional member of the contract is absent, never undefined. */
export function defined<T extends object>(members: T): Defined<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;
}
