/** The manifest is data, and must agree with what the adapter does. */
import { contractVersion } from '../../adapter.ts';
import { isCurrency } from '../../currencies.ts';
import type { EventKind, ReportedEvent } from '../../event.ts';
import { paymentMethods } from '../../payment.ts';
import { isObject } from '../difference.ts';
import { toSubmission } from '../vector-payment.ts';
import { demand, type Check } from './kit.ts';
import type { Subject } from './subject.ts';

const rule = 'manifest';
const statuses: Readonly<Record<EventKind, readonly string[]>> = {
  payment: [
    'authorised',
    'pending',
    'succeeded',
    'failed',
    'expired',
    'cancelled',
    'underpaid',
    'overpaid',
    'late',
    'unknown',
  ],
  refund: ['pending', 'succeeded', 'failed', 'reversed', 'unknown'],
  chargeback: ['opened', 'won', 'lost', 'reversed', 'unknown'],
  '3ds': ['pending', 'unknown'],
  token: ['active', 'suspended', 'deleted', 'updated', 'unknown'],
  ping: ['pending', 'unknown'],
};
const kinds = Object.keys(statuses) as EventKind[];
const declineCodes = new Set(['05', '51', '54', '57', '61', 'U30', 'U16', 'U66', 'U69']);
/** No provider's words; the last ones lie in wait for tables made of plain objects. */
const strangeWords = ['', ' ', 'no such word', 'SUCCESS?', '__proto__', 'constructor', 'toString', 'hasOwnProperty'];

/** An event that says nothing but its kind and word. */
export function bareEvent(kind: EventKind, word: string): ReportedEvent {
  return {
    kind,
    word,
    reference: 'GW-10042-1',
    providerReference: null,
    amount: null,
    currency: null,
    dedupeKey: null,
  };
}

export function manifestChecks<Options>(subject: Subject<Options>): Check[] {
  const { adapter, file, kit } = subject;
  const { manifest } = adapter;
  const events = [
    ...file.callbacks.flatMap(({ expect, fetch }) => [...(expect.events ?? []), ...(fetch?.events ?? [])]),
    ...file.submissions.flatMap(({ expect }) => (Array.isArray(expect['events']) ? expect['events'] : [])),
  ].filter(isObject);

  return [
    {
      rule,
      title: 'says who it is, in the form that the loader reads',
      async run() {
        demand(
          /^[a-z][a-z0-9-]*$/.test(manifest.name),
          'name is not kebab-case',
          'write it as in config: `provider-a`',
        );
        demand(manifest.title.trim(), 'title is empty', 'give the name that people use');
        demand(Number.isInteger(manifest.code) && manifest.code > 0, 'code is no positive whole number', 'set `code`');
        const [major, minor = '0'] = manifest.contract.replace(/^\^/, '').split('.');
        const [ours, newest = '0'] = contractVersion.split('.');
        demand(
          manifest.contract.startsWith('^') && major === ours && Number(minor) <= Number(newest),
          `contract ${manifest.contract} does not take version ${contractVersion}`,
          `write \`^${ours}.${newest}\``,
        );
        demand(manifest.idempotency.trim(), 'idempotency is empty', 'say what makes a repetition safe');
      },
    },
    {
      rule,
      title: 'lists inputs, methods, currencies and declines that exist',
      async run() {
        demand(manifest.inputs.length > 0, 'no input kind', 'list at least one of card, billing, token, upi');
        demand(manifest.methods.length > 0, 'no payment method', 'list the method of a submission first');
        for (const method of manifest.methods)
          demand(method in paymentMethods, `no method ${method}`, 'see payment.ts');
        for (const code of Object.values(manifest.declines)) {
          demand(declineCodes.has(code), `no decline code ${code}`, 'use the codes of `DeclineCode`');
        }
        const options = subject.readOptions(file.options);
        const { currencies } = manifest;
        const codes = currencies === 'any' ? [] : typeof currencies === 'function' ? currencies(options) : currencies;
        for (const code of [...codes, ...Object.values(manifest.units ?? {})]) {
          demand(isCurrency(code), `no currency ${code}`, 'use ISO 4217 codes in capitals');
        }
      },
    },
    {
      rule,
      title: 'has a reconciliation policy that asks ever more rarely and ends',
      async run() {
        const { stepsSeconds, thenEverySeconds, giveUpAfterSeconds } = manifest.reconcile;
        const delays = [...stepsSeconds, thenEverySeconds];
        const grows = delays.every((delay, at) => delay > 0 && delay >= (delays[at - 1] ?? 0));
        demand(grows, 'the delays do not grow', 'order `stepsSeconds`, the last at most `thenEverySeconds`');
        demand(giveUpAfterSeconds > delays[0]!, 'it gives up before it asks', 'raise `giveUpAfterSeconds`');
      },
    },
    {
      rule,
      title: 'has each route once, and every call and route that its vectors name',
      async run() {
        const names = adapter.callbacks.map(({ method, path }) => `${method} ${path}`);
        demand(new Set(names).size === names.length, 'a route occurs twice', 'give each path and method one route');
        for (const { route, request } of file.callbacks) {
          const name = `${request.method} ${route}`;
          demand(names.includes(name), `vectors call ${name}, and there is no such route`, 'add it to `callbacks`');
        }
        const own = kit.vectorOptions?.calls ?? {};
        for (const { call } of file.submissions) {
          demand(call in adapter || call in own, `vectors call ${call}, which the adapter lacks`, `add \`${call}\``);
        }
        demand(
          !manifest.threeDs || 'complete' in adapter,
          'it can do 3D Secure and cannot complete it',
          'add `complete`, or leave `threeDs` out',
        );
      },
    },
    {
      rule,
      title: 'submits by a method that it lists',
      async run() {
        const options = subject.readOptions(file.options);
        for (const { payment } of subject.goodSubmissions) {
          const method = adapter.methodOf?.(toSubmission(adapter, payment), options) ?? manifest.methods[0];
          demand(method && manifest.methods.includes(method), `method ${method} is not listed`, 'add it to `methods`');
        }
      },
    },
    {
      rule: 'statuses',
      title: 'knows what each of its words means, and calls every other word unknown',
      async run() {
        for (const kind of kinds) {
          const known = manifest.words[kind] ?? [];
          for (const word of known) {
            const status = adapter.mapStatus({ ...bareEvent(kind, word), ...kit.facts?.(kind, word) });
            demand(
              status !== 'unknown' && statuses[kind].includes(status),
              `${kind} ${JSON.stringify(word)} is listed in \`words\` and mapped to ${status}`,
              'map it to a status of its kind, or take it out of `words`; give `facts` where a word alone is not enough',
            );
          }
          for (const word of strangeWords.filter((one) => !known.includes(one))) {
            const status = adapter.mapStatus(bareEvent(kind, word));
            demand(
              status === 'unknown',
              `${kind} ${JSON.stringify(word)}, which nobody knows, is mapped to ${status}`,
              'give `unknown` for every word that the table lacks: use `statusTable`, never a default',
            );
          }
        }
      },
    },
    {
      rule: 'statuses',
      title: 'lists every word that its vectors carry',
      async run() {
        for (const { kind, word, status } of events) {
          if (status === 'unknown' || typeof word !== 'string') continue;
          const known = manifest.words[kind as EventKind] ?? [];
          demand(
            known.includes(word),
            `vectors carry ${String(kind)} ${JSON.stringify(word)}, and \`words\` lacks it`,
            'add it to `words` of the manifest',
          );
        }
      },
    },
  ];
}
