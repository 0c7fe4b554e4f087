/** Checks the ways to pay of the manifest, and what the adapter does on each. */
import { isDeepStrictEqual } from 'node:util';
import type { Action } from '../../outcome.ts';
import type { Way } from '../../payment.ts';
import type { CallResult } from '../compare-result.ts';
import { isObject } from '../difference.ts';
import type { CallVector } from '../vector-file.ts';
import { toSubmission } from '../vector-payment.ts';
import { demandAction } from './action-shape.ts';
import { claimOf } from './answer-classes.ts';
import { demand, freshParts, skip, type Check } from './kit.ts';
import { differencesOf } from './request-bytes.ts';
import { readable } from './request-checks.ts';
import { goodScript } from './scripts.ts';
import { isAnsweredWell, type GoodSubmission, type Subject } from './subject.ts';

const rule = 'ways';
/** Enough to include each flow of a provider once. */
const maxSamples = 6;

export function wayChecks<Options>(subject: Subject<Options>): Check[] {
  const { adapter, file, kit } = subject;
  const { ways, inputs } = adapter.manifest;
  const samples = subject.goodSubmissions.slice(0, maxSamples);
  const wayOf = ({ payment, vector }: GoodSubmission): Way | undefined => {
    const options = subject.readOptions({ ...file.options, ...vector.optionsOverride });
    const method = adapter.methodOf?.(toSubmission(adapter, payment), options) ?? ways[0].method;
    return ways.find((way) => way.method === method);
  };

  return [
    {
      rule,
      title: 'has a sample of a submission for each input that it lists',
      async run() {
        const shown = new Set(file.submissions.map(({ payment }) => toSubmission(adapter, payment).input));
        for (const input of inputs) {
          demand(
            shown.has(input),
            `no vector submits a payment by \`${input}\`, so nothing shows how the provider is asked`,
            `record one, or remove \`${input}\` from \`inputs\``,
          );
        }
      },
    },
    ...actionChecks(subject),
    {
      rule,
      title:
        'sends a 3D Secure demand to the provider where the way is `enforced`, and reports no 3D Secure where it is not',
      async run() {
        for (const sample of samples) {
          const way = wayOf(sample);
          const { outcome } = await subject.submit(sample, goodScript(sample.vector));
          const threeDs = 'threeDs' in outcome ? outcome.threeDs : undefined;
          const isShown = threeDs === 'authenticated' || threeDs === 'attempted';
          demand(
            way?.threeDs !== 'unsupported' || !isShown,
            `"${sample.vector.name}" shows 3D Secure (${threeDs}) on ${way?.method}, whose \`threeDs\` is unsupported`,
            'set `enforced` or `by_other_means` in its way',
          );
          if (way?.threeDs !== 'enforced' || outcome.outcome !== 'succeeded' || isShown) continue;
          const [demanded, skipped] = [await askFor3ds(sample, true), await askFor3ds(sample, false)];
          demand(
            differencesOf(demanded, skipped, freshParts(kit)).length > 0,
            `"${sample.vector.name}" is sent alike whether 3D Secure is demanded or not, and succeeds without it, although ${way.method} is \`enforced\``,
            'send `payment.is3ds` to the provider, or set `unsupported` in the way',
          );
        }
      },
    },
    {
      rule,
      title: 'needs no field of the payer that its way does not list',
      async run() {
        for (const sample of samples) {
          const fields = wayOf(sample)?.payerFields ?? [];
          const sparse = await subject.submit(sample, goodScript(sample.vector), {
            submission: (base) => {
              const { ipAddress, ...all } = base.payer;
              const known = Object.entries(all).filter(([name]) => (fields as readonly string[]).includes(name));
              return { ...base, payer: { ipAddress, ...Object.fromEntries(known) } } as typeof base;
            },
          });
          const full = await subject.submit(sample, goodScript(sample.vector));
          const what = `"${sample.vector.name}", of a payer of whom ${fields.join(', ') || 'nothing'} is known,`;
          demand(
            claimOf(sparse.outcome) === claimOf(full.outcome),
            `${what} is ${claimOf(sparse.outcome)}, and ${claimOf(full.outcome)} if everything is known`,
            'list in `payerFields` every field that the provider needs, and leave out of the request what is not known',
          );
          const text = sparse.requests.map((request) => readable(subject, request)).join('\n');
          demand(
            !/\bundefined\b/.test(text),
            `${what} is sent with the text \`undefined\``,
            'leave a field that is not known out of the request, or list it in `payerFields`',
          );
        }
      },
    },
  ];

  async function askFor3ds(sample: GoodSubmission, is3ds: boolean) {
    const { requests } = await subject.submit(sample, goodScript(sample.vector), {
      submission: (base) => ({ ...base, is3ds }),
    });
    return requests;
  }
}

/** Checks of the actions that good answers give the payer. */
function actionChecks<Options>(subject: Subject<Options>): Check[] {
  const { adapter, file } = subject;
  const { ways } = adapter.manifest;
  const answered = file.submissions.filter((one) => one.call in adapter && isAnsweredWell(one));

  return [
    {
      rule,
      title: 'gives no action that belongs to a way it does not list',
      async run() {
        const listed = new Set<string>(ways.map(({ method }) => method));
        for (const vector of answered) {
          const { method } = vector.payment;
          demand(
            typeof method !== 'string' || listed.has(method),
            `"${vector.name}" is a payment by ${String(method)}, which no way lists`,
            'add the way to `ways`, or correct the vector',
          );
          const { result } = await subject.call(vector, goodScript(vector));
          const wanted = actionMethods(result);
          demand(
            wanted.length === 0 || wanted.some((one) => listed.has(one)),
            `"${vector.name}" gives the payer an action of ${wanted.join(' or ')}, which no way lists`,
            'add the way to `ways`, or give the action of a listed way',
          );
        }
      },
    },
    {
      rule,
      title: 'gives actions that core and the payer can follow',
      async run() {
        let shown = 0;
        for (const vector of answered) {
          const { result } = await subject.call(vector, goodScript(vector));
          for (const action of actionsOf(result)) demandAction(adapter, vector.name, action);
          shown += actionsOf(result).length;
        }
        if (shown === 0) skip('no vector gives the payer an action');
      },
    },
    {
      rule,
      title: 'lets a payer who returned without paying return again',
      async run() {
        const isReturn = ({ call, payment: { action } }: CallVector): boolean =>
          call === 'complete' && isObject(action) && action['completesOnReturn'] === true;
        const returns = file.submissions.filter(isReturn);
        const isUsed = returns.length > 0 || (await givesReturn());
        if (!isUsed) skip('no vector gives a redirect with `completesOnReturn`');
        let isKept = false;
        for (const vector of returns) {
          const { result } = await subject.call(vector, goodScript(vector));
          isKept ||= result.outcome === 'pending' && isDeepStrictEqual(result.action, vector.payment['action']);
        }
        demand(
          isKept,
          'no `complete` of a redirect with `completesOnReturn` answers `pending` with the same action',
          'record what the provider answers if the payer has not paid yet, and let the step wait again: anyone who knows the return address can open it, and a payer may come back too early',
        );
      },
    },
  ];

  async function givesReturn(): Promise<boolean> {
    for (const vector of answered) {
      const { result } = await subject.call(vector, goodScript(vector));
      if (actionsOf(result).some((action) => action.type === 'redirect' && action.completesOnReturn)) return true;
    }
    return false;
  }
}

/** The methods that an action can only belong to; none for an action that may belong to any method. */
function actionMethods(result: CallResult): string[] {
  return actionsOf(result).flatMap((action) => {
    if (action.type === 'upi') return [`upi_${action.mode}`];
    if (action.type === 'qr') return ['ewallet_redirect', 'hosted_page'];
    return action.type === 'crypto' ? ['crypto'] : [];
  });
}

function actionsOf({ action, events = [] }: CallResult): Action[] {
  return [action, ...events.map((event) => event.action)].filter((one) => one !== undefined);
}
