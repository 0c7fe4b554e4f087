/** Pays as every odd payer at the package's own sandbox, which refuses what the provider refuses. */
import * as v from 'valibot';
import type { Outcome } from '../../outcome.ts';
import { inputKindOf, type Submission } from '../../payment.ts';
import { readBrowserInfo } from '../../payer/browser-info.ts';
import { readPayer } from '../../payer/payer.ts';
import { defined } from '../../http/defined.ts';
import { oddPayers, type OddPayer } from '../odd-payers.ts';
import type { RoundTrip } from '../round-trip.ts';
import { toSubmission, type VectorPayment } from '../vector-payment.ts';
import { claimOf } from './answer-classes.ts';
import { demand, skip, type Check, type SandboxKit } from './kit.ts';
import { startAtSandbox } from './sandbox-payment.ts';
import type { Subject } from './subject.ts';

/** The ordinary payments to vary: one for each input and flow. */
function samplesOf<Options>({ adapter, goodSubmissions }: Subject<Options>, kit: SandboxKit<Options>): VectorPayment[] {
  const samples = new Map<string, VectorPayment>();
  for (const { payment } of goodSubmissions) {
    const { isH2h } = toSubmission(adapter, payment);
    const flow = `${inputKindOf(adapter.manifest.inputs, payment)} ${isH2h}`;
    if (!samples.has(flow)) samples.set(flow, { ...payment, ...kit.payment, isSandbox: true });
  }
  return [...samples.values()];
}

export function payerChecks<Options>(subject: Subject<Options>): Check[] {
  const { adapter, kit } = subject;
  const { sandbox } = kit;
  return oddPayers.map((odd, at) => ({
    rule: 'payers',
    title: `charges a payer ${odd.title}, or names the field that is refused`,
    async run() {
      if (!sandbox) return skip('the kit has no `sandbox`, so no payer was charged');
      const trip = await startAtSandbox(subject, sandbox);
      let compared = 0;
      try {
        for (const [n, sample] of samplesOf(subject, sandbox).entries()) {
          const usual = { ...toSubmission(adapter, sample), reference: `GW-${at + 1}00${n}-1` };
          const unusual = { ...asOdd(usual, odd), reference: `GW-${at + 1}00${n}-2` };
          // What the manifest refuses is VAL002 with the field, before the adapter is called.
          if (isRefused(subject, sample, odd) || (await hasSameEnd(trip, usual, unusual))) compared += 1;
        }
      } finally {
        await trip.close();
      }
      if (compared === 0) skip('the sandbox charges no good submission of the vectors, so nothing was compared');
    },
  }));
}

/** The submission as core makes it of what the merchant sends. */
function asOdd(usual: Submission, { payer, browserInfo }: OddPayer): Submission {
  const seen = browserInfo && readBrowserInfo(browserInfo);
  return { ...usual, payer: readPayer({ ...usual.payer, ...payer }), ...defined({ browserInfo: seen }) };
}

function isRefused<O>({ adapter }: Subject<O>, sample: VectorPayment, odd: OddPayer): boolean {
  const { bounds } = adapter.manifest;
  const body = { ...sample, ...odd.payer, ...defined({ browserInfo: odd.browserInfo }) };
  return bounds !== undefined && !v.safeParse(bounds, body).success;
}

/** False for a sample that only the provider itself answers: it proves nothing here. */
async function hasSameEnd<O>(trip: RoundTrip<O>, usual: Submission, unusual: Submission): Promise<boolean> {
  const usually = await trip.submit(usual);
  if (!isCharged(usually)) return false;
  const outcome = await trip.submit(unusual);
  const isFieldRefused = outcome.outcome === 'failed' && outcome.refusedField !== undefined;
  demand(
    isFieldRefused || isCharged(outcome),
    `the payment is ${claimOf(outcome)} at the sandbox: ${'reason' in outcome ? outcome.reason : ''}`,
    'bring optional fields into the provider’s bounds or leave them out (`narrowText`, `knownFields`), refuse required ones in the manifest’s `bounds`, and answer `refusedField` if the provider refuses one',
  );
  return true;
}

function isCharged({ outcome }: Outcome): boolean {
  return outcome === 'succeeded' || outcome === 'pending';
}
