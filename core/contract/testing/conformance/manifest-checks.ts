/** Checks the manifest: it is data, and must agree with what the adapter does. */
import { defaultReconcilePolicy } from '../../adapter.ts';
import { isActiveCurrency, isCryptocurrency } from '../../money/currencies.ts';
import { declineReasons } from '../../statuses/decline-codes.ts';
import type { EventSource, ReportedEvent } from '../../event.ts';
import { eventKinds, statusMeanings, type EventKind } from '../../statuses/event-statuses.ts';
import { pictureProblem } from '../../payer/brands.ts';
import { paymentMethods, unfinishedSteps } from '../../payment.ts';
import { isObject } from '../difference.ts';
import { contractVersion } from '../../core/version.ts';
import { toSubmission } from '../vector-payment.ts';
import { demand, type Check } from './kit.ts';
import type { Subject } from './subject.ts';

const rule = 'manifest';
const isStatus = (kind: EventKind, status: string): boolean => Object.hasOwn(statusMeanings[kind], status);
const sources: readonly EventSource[] = ['callback', 'fetch'];
/** Texts that are no provider's statuses. The last ones break tables that are plain objects. */
const strangeStatuses = ['', ' ', 'no such word', 'SUCCESS?', '__proto__', 'constructor', 'toString', 'hasOwnProperty'];

/** An event with only a kind and a status. */
function bareEvent(kind: EventKind, providerStatus: string): ReportedEvent {
  return {
    kind,
    providerStatus,
    reference: 'GW-10042-1',
    providerReference: null,
    amount: null,
    currency: null,
    dedupeKey: null,
  };
}

export function manifestChecks<Options>(subject: Subject<Options>): Check[] {
  return [...memberChecks(subject), ...wayChecks(subject), ...statusChecks(subject)];
}

function memberChecks<Options>(subject: Subject<Options>): Check[] {
  const { adapter, file, kit } = subject;
  const { manifest } = adapter;
  return [
    {
      rule,
      title: 'identifies itself in the form that the loader reads',
      async run() {
        demand(
          /^[a-z][a-z0-9-]*$/.test(manifest.name),
          'name is not kebab-case',
          'write it as in config: `provider-a`',
        );
        demand(manifest.title.trim(), 'title is empty', 'give the name that people use');
        demand(
          Number.isInteger(manifest.code) && manifest.code > 0,
          'code is not a positive whole number',
          'set `code`',
        );
        const [major, minor = '0'] = manifest.contract.replace(/^\^/, '').split('.');
        const [ours, newest = '0'] = contractVersion.split('.');
        demand(
          manifest.contract.startsWith('^') && major === ours && Number(minor) <= Number(newest),
          `contract ${manifest.contract} does not include version ${contractVersion}`,
          `write \`^${ours}.${newest}\``,
        );
        demand(manifest.idempotency.trim(), 'idempotency is empty', 'say what makes a repetition safe');
      },
    },
    {
      rule,
      title: 'lists inputs, methods, currencies and declines that exist',
      async run() {
        demand(manifest.inputs.length > 0, 'there is no input kind', 'list at least one of card, billing, token, upi');
        demand(manifest.ways.length > 0, 'there is no way to pay', 'list the way of a submission first');
        for (const { method } of manifest.ways)
          demand(method in paymentMethods, `no method ${method}`, 'use a method of `paymentMethods` in payment.ts');
        for (const code of Object.values(manifest.declines)) {
          demand(Object.hasOwn(declineReasons, code), `no decline code ${code}`, 'use the codes of `DeclineCode`');
        }
        const options = subject.readOptions(file.options);
        const { currencies } = manifest;
        const codes = currencies === 'any' ? [] : typeof currencies === 'function' ? currencies(options) : currencies;
        for (const code of [...codes, ...Object.values(manifest.units ?? {})]) {
          demand(isActiveCurrency(code), `no currency ${code}`, 'use active ISO 4217 codes in capitals');
        }
        for (const code of manifest.cryptocurrencies ?? [])
          demand(
            isCryptocurrency(code),
            `no cryptocurrency ${code}`,
            'use a code that `isCryptocurrency` knows, from money/currencies.ts',
          );
      },
    },
    {
      rule,
      title: 'has a reconciliation policy that asks less and less often, and ends',
      async run() {
        const { stepsSeconds, thenEverySeconds, giveUpAfterSeconds } = manifest.reconcile ?? defaultReconcilePolicy;
        const grows = stepsSeconds.every((delay, at) => delay > 0 && delay >= (stepsSeconds[at - 1] ?? 0));
        demand(
          grows,
          `\`stepsSeconds\` ${stepsSeconds.join(', ')} do not grow`,
          'write each as the seconds since the fetch before it: above 0, and never less than the one before',
        );
        const last = stepsSeconds.at(-1) ?? 0;
        demand(
          thenEverySeconds > 0 && thenEverySeconds >= last,
          `\`thenEverySeconds\` ${thenEverySeconds} is less than the last of \`stepsSeconds\`, ${last}`,
          'raise `thenEverySeconds`, or leave the last steps out',
        );
        demand(
          giveUpAfterSeconds > (stepsSeconds[0] ?? thenEverySeconds),
          'it gives up before it asks',
          'raise `giveUpAfterSeconds`',
        );
      },
    },
    {
      rule,
      title: 'has each route once, and has every call and route that its vectors name',
      async run() {
        const names = adapter.callbacks.map(({ method, path }) => `${method} ${path}`);
        demand(new Set(names).size === names.length, 'a route occurs twice', 'give each path and method one route');
        for (const { route, request } of file.callbacks) {
          const name = `${request.method} ${route}`;
          demand(names.includes(name), `vectors call ${name}, but there is no such route`, 'add it to `callbacks`');
        }
        const own = kit.vectorOptions?.calls ?? {};
        for (const { call } of file.submissions) {
          demand(call in adapter || call in own, `vectors call ${call}, which the adapter lacks`, `add \`${call}\``);
        }
        demand(
          !manifest.ways.some(({ threeDs }) => threeDs === 'enforced') || 'complete' in adapter,
          'it enforces 3D Secure and cannot complete it',
          'add `complete`, or set the actual 3D Secure support of its ways instead of `enforced`',
        );
      },
    },
  ];
}

function wayChecks<Options>(subject: Subject<Options>): Check[] {
  const { adapter, file } = subject;
  const { manifest } = adapter;
  return [
    {
      rule,
      title: 'says of each way what may become of an unfinished step',
      async run() {
        for (const { method, unfinishedStep, stepMinutes } of manifest.ways) {
          demand(
            unfinishedStep === undefined || unfinishedSteps.includes(unfinishedStep),
            `${method} has the unfinishedStep ${unfinishedStep}`,
            `use one of ${unfinishedSteps.join(', ')}`,
          );
          demand(
            unfinishedStep !== 'charges_nothing' || 'complete' in adapter,
            `an unfinished step of ${method} is said to charge nothing, but there is no \`complete\` that could charge`,
            'set `may_charge`: the provider charges without a call of core',
          );
          for (const ability of ['close', 'fetchStatus'] as const)
            demand(
              unfinishedStep !== 'close' || adapter[ability],
              `an unfinished step of ${method} is to be closed, but there is no \`${ability}\``,
              ability === 'close'
                ? 'add `close`, or set `may_charge`'
                : 'add `fetchStatus`: it says whether an order that was not closed is paid',
            );
          demand(
            stepMinutes === undefined || (Number.isInteger(stepMinutes) && stepMinutes > 0),
            `${method} has the stepMinutes ${stepMinutes}`,
            'give whole minutes above 0',
          );
        }
        demand(
          !adapter.close || manifest.ways.some(({ unfinishedStep }) => unfinishedStep === 'close'),
          'it can close an order, and no way has `unfinishedStep: close`, so core never calls `close`',
          'set it for each way whose orders the provider closes',
        );
      },
    },
    {
      rule,
      title: 'shows brands of its ways, each with a picture that the payer’s page can show',
      async run() {
        const { brands, ways } = manifest;
        const shown = typeof brands === 'function' ? brands(subject.readOptions(file.options)) : (brands ?? {});
        for (const [method, list] of Object.entries(shown)) {
          demand(
            ways.some((way) => way.method === method),
            `\`brands\` has ${method}, which no way lists`,
            'name brands only for methods of `ways`',
          );
          for (const { name, picture } of list) {
            demand(name.trim(), `a brand of ${method} has no name`, 'give the name that payers know');
            const problem = picture === undefined ? undefined : pictureProblem(picture);
            demand(
              problem === undefined,
              `the picture of ${name} is ${problem}`,
              'use `brands` or `wordmark`, or an SVG or PNG image of at most 8,192 bytes without scripts, styles and addresses',
            );
          }
          const names = list.map(({ name }) => name);
          demand(new Set(names).size === names.length, `a brand of ${method} occurs twice`, 'name each brand once');
        }
        for (const { method, titles = {}, leadsTo } of ways) {
          for (const [language, title] of Object.entries(titles))
            demand(
              /^[a-z]{2}$/.test(language) && title.trim(),
              `${method} has the title ${JSON.stringify(title)} in ${JSON.stringify(language)}`,
              'give a text for each language code of two small letters',
            );
          demand(
            leadsTo === undefined || leadsTo.trim(),
            `leadsTo of ${method} is empty`,
            'leave it out, or name the page',
          );
        }
      },
    },
    {
      rule,
      title: 'submits by a method that it lists',
      async run() {
        const options = subject.readOptions(file.options);
        for (const { payment } of subject.goodSubmissions) {
          const method = adapter.methodOf?.(toSubmission(adapter, payment), options) ?? manifest.ways[0].method;
          const isListed = manifest.ways.some((way) => way.method === method);
          demand(isListed, `method ${method} is not listed`, 'add a way with it to `ways`');
        }
      },
    },
  ];
}

function statusChecks<Options>({ adapter, file, kit }: Subject<Options>): Check[] {
  const events = [
    ...file.callbacks.flatMap(({ expect, fetch }) => [...(expect.events ?? []), ...(fetch?.events ?? [])]),
    ...file.submissions.flatMap(({ expect }) => (Array.isArray(expect['events']) ? expect['events'] : [])),
  ].filter(isObject);

  return [
    {
      rule: 'statuses',
      title: 'knows what each of its statuses means, and maps every other one to unknown',
      async run() {
        for (const kind of eventKinds) {
          const known = adapter.mapStatus.statuses[kind] ?? [];
          for (const source of sources) {
            const own = adapter.mapStatus.bySource[source][kind] ?? [];
            for (const providerStatus of own) {
              const event = { ...bareEvent(kind, providerStatus), ...kit.facts?.(kind, providerStatus) };
              const status = adapter.mapStatus(event, source);
              demand(
                isStatus(kind, status),
                `${kind} ${JSON.stringify(providerStatus)} of a ${source} is listed in \`statuses\` and mapped to ${status}`,
                'map it to a status of its kind, or remove it from the table; give `facts` if a status alone is not enough',
              );
            }
            for (const providerStatus of [...known, ...strangeStatuses].filter((one) => !own.includes(one))) {
              const status = adapter.mapStatus(bareEvent(kind, providerStatus), source);
              demand(
                status === 'unknown',
                `${kind} ${JSON.stringify(providerStatus)} of a ${source}, which no table knows, is mapped to ${status}`,
                'give `unknown` for every status that the table lacks: use `statusTable`, never a default',
              );
            }
          }
        }
      },
    },
    {
      rule: 'statuses',
      title: 'lists every status that its vectors contain',
      async run() {
        for (const { kind, providerStatus, status } of events) {
          if (status === 'unknown' || typeof providerStatus !== 'string') continue;
          const known = adapter.mapStatus.statuses[kind as EventKind] ?? [];
          demand(
            known.includes(providerStatus),
            `vectors contain ${String(kind)} ${JSON.stringify(providerStatus)}, and \`statuses\` lacks it`,
            'add it to the table of `mapStatus`',
          );
        }
      },
    },
  ];
}
