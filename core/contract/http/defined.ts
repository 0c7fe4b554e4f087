/** Members that may be missing. */

/** `T` with every member left out that would be undefined. */
export type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The members that have a value: an optional member of the contract is left out, and never undefined. */
export function defined<T extends object>(members: T): Defined<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;
}
