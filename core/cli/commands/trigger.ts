import { setTimeout as sleep } from 'node:timers/promises';
import { isDecimal, v } from '@paywright/contract';
import { triggerPath, type TriggerBody } from '@paywright/contract/sandbox';
import { loadConfig, type LoadedConfig } from '../../../config/load-config.ts';
import { ownSandboxes } from '../../../workers/supervisor/start/choose-ports.ts';
import { fromDocument } from '../../database/decimals.ts';
import { paymentRequestModel, type PaymentRecord } from '../../database/collections/payment-request.ts';
import { didYouMean } from '../../base/text/nearest.ts';
import { checkAdapterName } from '../adapter-name.ts';
import { json } from '../json.ts';
import { findService, noServiceText } from '../running-service.ts';
import { defineCommand, readCount, required, UsageError } from '../command.ts';
import { withDatabase } from '../with-database.ts';

const Events = v.object({ events: v.array(v.string()), causes: v.optional(v.record(v.string(), v.string()), {}) });
const Answers = v.object({ answers: v.array(v.object({ status: v.number(), body: v.string() })) });

export const trigger = defineCommand({
  options: {
    payment: { type: 'string', value: '<id>', help: 'the payment request; required, except for the event list' },
    amount: { type: 'string', value: '<decimal>', help: "an amount other than the payment's" },
    delay: { type: 'string', value: '<ms>', help: 'wait before each event' },
    duplicate: { type: 'string', value: '<times>', help: 'how often each event is delivered' },
    reorder: { type: 'boolean', help: 'send the events in reverse order' },
    forge: { type: 'boolean', help: 'sign with a wrong secret' },
    json,
  },
  notes: [
    'An event is an event of the provider, or the notification that it causes, such as payment.refunded.',
    'The event "list" prints both for the sandbox of the adapter. The service must be running.',
  ],
  async run({ values, operands, shell }) {
    const [adapter = '', given = ''] = operands;
    const delayMs = readCount(values.delay, '--delay') ?? 0;
    const times = readCount(values.duplicate, '--duplicate') ?? 1;
    if (values.amount !== undefined && !isDecimal(values.amount))
      throw new UsageError('--amount must be a decimal number.');
    const loaded = await loadConfig({ env: shell.env, root: shell.root });
    const url = await findSandbox(adapter, loaded);
    const { events, causes } = v.parse(Events, await (await ask(adapter, url)).json());
    if (given === 'list') {
      if (values.json) shell.print(JSON.stringify(events));
      else for (const line of listOf(events, causes)) shell.print(line);
      return 0;
    }
    return withDatabase(shell, async ({ connection }) => {
      const id = Number(required(values.payment, 'payment'));
      const found = Number.isSafeInteger(id) ? await paymentRequestModel(connection).findById(id).lean() : null;
      const attempt =
        found && (fromDocument(found) as PaymentRecord).attempts.findLast((one) => one.adapter === adapter);
      if (!attempt) throw new Error(`payment request ${values.payment} has no attempt at ${adapter}`);
      const wanted = given.split(',').map((event) => toOwnEvent(adapter, event, events, causes));
      const { reference, providerReference, currency } = attempt;
      const money = { amount: values.amount ?? attempt.amount, currency };
      let isRefused = false;
      const answers: unknown[] = [];
      for (const event of values.reorder ? wanted.toReversed() : wanted) {
        await sleep(delayMs);
        const body: TriggerBody = { event, reference, providerReference, money, times, forge: values.forge ?? false };
        const response = await ask(adapter, url, { method: 'POST', body: JSON.stringify(body) });
        if (!response.ok)
          throw new Error(`the sandbox of ${adapter} did not send "${event}": it answered with ${response.status}`);
        for (const { status, body: answer } of v.parse(Answers, await response.json()).answers) {
          answers.push({ event, status, body: answer });
          if (!values.json) shell.print(`${event}  answered ${status} ${answer}`.trimEnd());
          isRefused ||= status >= 400;
        }
      }
      if (values.json) shell.print(JSON.stringify(answers));
      return isRefused && !values.forge ? 1 : 0;
    });
  },
});

type Causes = Readonly<Record<string, string>>;

/** The events of the provider, each with the notification that it causes. */
function listOf(events: readonly string[], causes: Causes): string[] {
  const width = Math.max(...events.map((event) => event.length));
  return events.map((event) => {
    const notifications = Object.keys(causes).filter((name) => causes[name] === event);
    return notifications.length === 0 ? event : `${event.padEnd(width)}  ${notifications.join(', ')}`;
  });
}

/** The event of the provider, also if the notification is given that it causes. A partial refund needs `--amount`. */
function toOwnEvent(adapter: string, event: string, events: readonly string[], causes: Causes): string {
  const cause = causes[event === 'payment.partially_refunded' ? 'payment.refunded' : event];
  if (events.includes(event)) return event;
  if (cause !== undefined) return cause;
  const guess = didYouMean(event, [...events, ...Object.keys(causes)]);
  throw new UsageError(`${adapter} has no event "${event}"${guess || `: its events are ${events.join(', ')}.`}`);
}

/** Returns the address of the running sandbox of the adapter. Throws an error that says how to start it. */
async function findSandbox(adapter: string, loaded: LoadedConfig): Promise<string> {
  const { config } = loaded;
  checkAdapterName(adapter, config);
  const { running } = await findService(loaded);
  const url = running?.sandboxes[adapter];
  if (url !== undefined) return url;
  const isOurs = ownSandboxes(config).includes(adapter);
  if (!running) {
    const first = isOurs ? '' : `${whyNone(adapter, config)}, then `;
    throw new Error(`${noServiceText(loaded)}: ${first}start it with "paywright start".`);
  }
  const cure = isOurs ? 'the service was started with other settings' : whyNone(adapter, config);
  throw new Error(`The sandbox of ${adapter} is not running: ${cure}, then restart the service.`);
}

/** The setting that must be changed to start the sandbox. */
function whyNone(adapter: string, { adapters }: LoadedConfig['config']): string {
  const { state, sandbox } = adapters[adapter]!;
  if (state === 'off') return `set adapters.${adapter}.state to on`;
  if (!sandbox.run) return `set adapters.${adapter}.sandbox.run to true`;
  return `remove sandboxBaseUrl from the options of adapters.${adapter}, because it names another sandbox`;
}

async function ask(adapter: string, url: string, request?: RequestInit): Promise<Response> {
  try {
    return await fetch(url + triggerPath, request);
  } catch (cause) {
    throw new Error(`The sandbox of ${adapter} does not answer at ${url}: see the log of the service.`, { cause });
  }
}
