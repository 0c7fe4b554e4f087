/**
 * Orphaned claims are claims of this process on which no worker of it works. They are released as soon as the database
 * answers.
 */

export interface OrphanedClaim {
  readonly worker: string;
  /** It is unknown whether the server stored the claim. It may store it late, once it no longer hangs. */
  readonly isUncertain?: boolean;
  /** Ends what the holder left open at the server, before the documents are released. */
  readonly endWork?: () => Promise<void>;
}

export interface OrphanedClaims {
  add(token: string, claim: OrphanedClaim): void;
  /** Rejects if the database does not answer. Claims that remain are released by the next call. */
  release(): Promise<void>;
}

/** `releaseOne` returns how many documents it found under the token. After `leaseMs` the lease has ended anyway. */
export function createOrphanedClaims(
  leaseMs: number,
  releaseOne: (token: string, worker: string) => Promise<number>,
): OrphanedClaims {
  const claims = new Map<string, OrphanedClaim & { readonly until: number }>();
  let releasing: Promise<void> | undefined;

  async function releaseAll(): Promise<void> {
    for (const [token, { worker, isUncertain, endWork, until }] of claims) {
      await endWork?.();
      const released = await releaseOne(token, worker);
      if (released > 0 || !isUncertain || performance.now() > until) claims.delete(token);
    }
  }

  return {
    add: (token, claim) => void claims.set(token, { ...claim, until: performance.now() + leaseMs }),
    async release() {
      if (claims.size === 0) return;
      releasing ??= releaseAll().finally(() => (releasing = undefined));
      await releasing;
    },
  };
}
