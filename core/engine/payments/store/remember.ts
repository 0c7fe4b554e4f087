/** Keeps a value that never changes, and forgets the one that was kept longest where there are too many. */
export function remember<K, V>(known: Map<K, V>, key: K, value: V, most: number): void {
  for (const oldest of known.keys()) {
    if (known.size < most) break;
    known.delete(oldest);
  }
  known.set(key, value);
}
