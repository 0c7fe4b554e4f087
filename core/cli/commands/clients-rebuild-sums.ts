import { toEnvironment } from '../../engine/access/index.ts';
import { rebuildDepositsBy, type CorrectedClient } from '../../engine/payments/index.ts';
import { withDatabase } from '../with-database.ts';
import { defineCommand, readKeyEnvironment } from '../command.ts';
import { operatorOf } from '../operator.ts';

export const clientsRebuildSums = defineCommand({
  options: {
    env: { type: 'string', value: 'sandbox|production', help: 'only clients of this environment (default: all)' },
    json: { type: 'boolean', help: 'print JSON: each client that differed, with the stored and the correct sums' },
  },
  notes: [
    'Compares the stored deposit sums of each client with its payments, and corrects the sums that differ. The service can',
    'keep running. Sums only differ if the database was changed by hand or restored in part.',
  ],
  async run({ values, shell }) {
    const environment = values.env === undefined ? undefined : toEnvironment(readKeyEnvironment(values.env));
    return withDatabase(shell, async ({ connection, audit }) => {
      const by = operatorOf(shell);
      const { checked, corrected } = await rebuildDepositsBy(by, audit, connection, environment, (soFar) =>
        shell.stderr(`${soFar.checked} clients checked, ${soFar.corrected.length} differed`),
      );
      if (values.json) shell.print(JSON.stringify({ checked, differed: corrected.length, mended: corrected }));
      else {
        for (const one of corrected) shell.print(describe(one));
        shell.print(
          `${checked} clients checked: ${corrected.length ? `${corrected.length} differed and were corrected` : 'none differed'}`,
        );
      }
      return 0;
    });
  },
});

function describe({ clientId, kept, right, unmarked }: CorrectedClient): string {
  const text = (sums: CorrectedClient['kept']): string =>
    Object.entries(sums)
      .map(([currency, { paid, refunded }]) => `${paid} ${currency} paid and ${refunded} refunded`)
      .join(', ') || 'nothing';
  return `client ${clientId}: stored ${text(kept)}, correct ${text(right)}; ${unmarked} payments were not marked as due`;
}
