import type { Connection } from 'mongoose';
import type { Actor, Audit } from '../../audit/index.ts';
import type { Environment } from '../../../base/environment.ts';
import { rebuildDeposits, type CorrectedClient } from '../clients/rebuild.ts';

export interface Rebuilt {
  readonly checked: number;
  readonly mended: readonly CorrectedClient[];
}

/** The audit has the sums of so many clients. */
const MOST_NAMED = 100;

/** `rebuildDeposits` as an act of somebody. */
export async function rebuildDepositsBy(
  by: Actor,
  audit: Pick<Audit, 'run'>,
  connection: Connection,
  environment: Environment | undefined,
  onProgress: (soFar: Rebuilt) => void,
): Promise<Rebuilt> {
  const subject = { type: 'clients', id: environment ?? 'all' };
  return audit.run(by, { act: 'deposits.rebuild', subject }, async () => {
    let checked = 0;
    const mended: CorrectedClient[] = [];
    for await (const page of rebuildDeposits(connection, environment)) {
      checked += page.checked;
      mended.push(...page.mended);
      onProgress({ checked, mended });
    }
    const sums = mended.slice(0, MOST_NAMED).map(({ clientId, kept, right }) => ({ clientId, kept, right }));
    return { value: { checked, mended }, after: { checked, mended: mended.length, sums } };
  });
}
