/** Something that others wait for until it is there. */
export interface Gate<T> {
  readonly passed: Promise<T>;
  open(value: T): void;
}

export function createGate<T>(): Gate<T> {
  let open: (value: T) => void = () => undefined;
  const passed = new Promise<T>((resolve) => (open = resolve));
  return { passed, open: (value) => open(value) };
}
