/** Claims of this process on which nobody works: they are given back as soon as the database answers. */

export interface OrphanedClaim {
  readonly worker: string;
  /** Whether the server has made it is not known: it may make it late, once it no longer hangs. */
  readonly isUncertain?: boolean;
  /** Ends what its holder left open at the server, before the documents are given back. */
  readonly endWork?: () => Promise<void>;
}

export interface OrphanedClaims {
  add(token: string, claim: OrphanedClaim): void;
  /** Rejects where the database does not answer; those that remain are given back by the next call. */
  release(): Promise<void>;
}

/** `releaseOne` gives how many documents it found under the token. After `leaseMs` the lease is over anyway. */
export function createOrphanedClaims(
  leaseMs: number,
  releaseOne: (token: string, worker: string) => Promise<number>,
): OrphanedClaims {
  const claims = new Map<string, OrphanedClaim & { readonly until: number }>();
  let giving: Promise<void> | undefined;

  async function releaseAll(): Promise<void> {
    for (const [token, { worker, isUncertain, endWork, until }] of claims) {
      await endWork?.();
      const given = await releaseOne(token, worker);
      if (given > 0 || !isUncertain || performance.now() > until) claims.delete(token);
    }
  }

  return {
    add: (token, claim) => void claims.set(token, { ...claim, until: performance.now() + leaseMs }),
    async release() {
      if (claims.size === 0) return;
      giving ??= releaseAll().finally(() => (giving = undefined));
      await giving;
    },
  };
}
