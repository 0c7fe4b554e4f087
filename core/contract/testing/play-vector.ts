/** Plays core towards an adapter, and its provider, for one vector, and returns the differences in words. */
import type { ProviderAdapter } from '../adapter.ts';
import type { RawCallback } from '../callback.ts';
import type { AdapterContext, HttpRequest } from '../provider.ts';
import { bytesOf, compareRequest, toHttpReply } from './compare-request.ts';
import { compareCall, compareCallback, compareEvents, type MappedEvent } from './compare-result.ts';
import { isObject } from './difference.ts';
import { toStoredPayment, type VectorPayment } from './vector-payment.ts';
import { playCall, playCommit, playFetch, type VectorCalls } from './play-call.ts';
import { playCallback, routeOf, withStatus, type CoreSays } from './play-callback.ts';
import { standingOf, withStanding } from './standing-answers.ts';
import { addressOf, noAnswer, scriptedHttp, scriptedProvider, testNow, testPublicUrl } from './scripted-provider.ts';
import type { CallbackVector, CallVector, VectorExchange, VectorFile } from './vector-file.ts';

export interface VectorOptions<Options> {
  /** Runs only the vectors with one of these names. */
  readonly only?: readonly string[];
  /** Request bodies must agree byte for byte, because the protocol fixes their order and spelling. */
  readonly exact?: boolean;
  /** Calls of the provider's own (`VectorCalls`). */
  readonly calls?: VectorCalls<Options>;
}

/** Replaces the token that core makes: vectors write `{3dsToken}`. */
const threeDsToken = 'M2RzMS4xMDA0Mi4xLjE3OTUyNTM0MDAuNWYwYzNhOWU3MWQyNGI4Ni4wMA';

/** The environment of one vector. */
export interface Run<Options> {
  readonly adapter: ProviderAdapter<Options>;
  readonly options: Options;
  readonly given: VectorOptions<Options>;
  readonly now: Date;
  /**
   * A context whose http answers with these exchanges in order, and records by number what was wrong with the requests.
   */
  contextFor(
    exchanges: readonly VectorExchange[],
    payment?: VectorPayment,
    numbered?: boolean,
  ): ScriptedContext<Options>;
}

interface ScriptedContext<Options> {
  readonly context: AdapterContext<Options>;
  /** Every request so far, without those that `standing` answers. */
  readonly requests: readonly HttpRequest[];
  /** To be called after the call: requests that differ, were too many, or never came. */
  requestDifferences(): string[];
}

export function createRun<Options>(
  adapter: ProviderAdapter<Options>,
  options: Options,
  file: VectorFile,
  vector: CallbackVector | CallVector,
  given: VectorOptions<Options>,
): Run<Options> {
  const now = vector.now === undefined ? testNow : new Date(vector.now);
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  return {
    adapter,
    options,
    given,
    now,
    contextFor(exchanges, payment = {}, numbered = false) {
      const sandbox = payment['isSandbox'] === true;
      const wrong: string[] = [];
      const http = scriptedHttp((request, count) => {
        const exchange = exchanges[count];
        if (!exchange?.request) {
          wrong.push(`request: expected ${count === 0 ? 'none' : `no more than ${count}`}, got ${request.method}`);
          return noAnswer();
        }
        const wanted = withToken(exchange.request);
        const found = compareRequest(wanted, request, addressOf(options, sandbox), given.exact);
        wrong.push(...found.map((line) => (numbered ? `exchanges[${count}].${line}` : line)));
        return exchange.reply ? toHttpReply(exchange.reply) : noAnswer();
      });
      const callbackUrl = text(payment['callbackUrl']);
      const returnUrl = text(payment['returnUrl']);
      const cancelUrl = text(payment['cancelUrl']);
      const ctx = scriptedProvider({
        options,
        http: withStanding(http, standingOf(file, vector), addressOf(options, sandbox)),
        sandbox,
        now,
        random: exchanges.flatMap(({ nonce }) => (nonce === undefined ? [] : [Buffer.from(nonce, 'hex')])),
        publicUrl: text(payment['publicUrl']) ?? vector.publicUrl ?? file.publicUrl ?? testPublicUrl,
        threeDsToken,
        ...(callbackUrl !== undefined && { callbackUrl }),
        ...(returnUrl !== undefined && { returnUrl }),
        ...(cancelUrl !== undefined && { cancelUrl }),
      });
      return {
        context: ctx,
        requests: http.requests,
        requestDifferences: () => [
          ...wrong,
          ...exchanges
            .slice(http.requests.length)
            .flatMap(({ request }) =>
              request ? [`request: expected ${request.method} ${request.path}, got none`] : [],
            ),
        ],
      };
    },
  };
}

/** Puts the token in place of a vector's `{3dsToken}`. */
function withToken<T>(value: T): T {
  if (typeof value === 'string') return value.replaceAll('{3dsToken}', threeDsToken) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => withToken(item)) as T;
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withToken(item)])) as T;
}

/** Makes one call to the provider, as the vector describes it. */
export async function playCallVector<Options>(run: Run<Options>, vector: CallVector): Promise<string[]> {
  return (await playRecordedCall(run, vector)).differences;
}

/** Like `playCallVector`, with the requests that the adapter sent. */
export async function playRecordedCall<Options>(
  run: Run<Options>,
  vector: CallVector,
): Promise<{ readonly differences: string[]; readonly requests: readonly HttpRequest[] }> {
  const { exchanges, keyFetch } = vector;
  const payment = withToken(vector.payment);
  const scripted = run.contextFor([...exchanges, ...(keyFetch ? [keyFetch] : [])], payment, exchanges.length > 1);
  const result = await playCall(run.adapter, vector.call, payment, scripted.context, run.given.calls);
  return {
    differences: [
      ...scripted.requestDifferences(),
      ...compareCall(withToken(vector.expect), result, vector.call === 'fetchStatus'),
    ],
    requests: scripted.requests,
  };
}

/** Delivers one callback, as the vector describes it. */
export async function playCallbackVector<Options>(run: Run<Options>, vector: CallbackVector): Promise<string[]> {
  const { adapter } = run;
  const route = routeOf(adapter, vector.route, vector.request.method);
  const scripted = run.contextFor(vector.keyFetch ? [vector.keyFetch] : [], vector.payment);
  const raw = toRawCallback(vector, run.now);
  const deliver = (coreSays: CoreSays) => playCallback(adapter, route, raw, scripted.context, coreSays);

  const wanted = vector.expect.ack?.outcome;
  let result = await deliver(wanted === 'try_later' || wanted === 'unknown_reference' ? wanted : 'accepted');
  // Core ignores events of the other side, and recognises a repetition by the dedupe keys alone.
  if (ofOtherMode(result.events, vector.payment)) result = await deliver('ignored');
  else if (wanted === 'duplicate' && haveIdentity(result.events)) result = await deliver('duplicate');
  return [
    ...scripted.requestDifferences(),
    ...compareCallback(withToken(vector.expect), result),
    ...(vector.fetch ? await playFetchOfPing(run, vector, vector.fetch, result.events) : []),
  ];
}

function haveIdentity(events: readonly MappedEvent[]): boolean {
  return events.length > 0 && events.every(({ dedupeKey }) => dedupeKey !== null);
}

/** True if every event says that it belongs to the other side (test or live) than the payment. */
function ofOtherMode(events: readonly MappedEvent[], payment: VectorPayment | undefined): boolean {
  const mode = payment?.['mode'];
  return mode !== undefined && events.length > 0 && events.every((event) => event.mode && event.mode !== mode);
}

/** A vector's request as it would arrive. */
export function toRawCallback({ request }: CallbackVector, receivedAt: Date): RawCallback {
  return {
    method: request.method,
    path: request.path,
    query: request.query,
    headers: request.headers,
    body: bytesOf(request),
    remoteAddress: '203.0.113.1',
    receivedAt,
  };
}

/** The fetch that a ping asks for, and what is reported to the provider after its events are stored. */
async function playFetchOfPing<Options>(
  run: Run<Options>,
  vector: CallbackVector,
  fetch: NonNullable<CallbackVector['fetch']>,
  pings: readonly MappedEvent[],
): Promise<string[]> {
  const { adapter, options, now } = run;
  if (!adapter.fetchStatus) return ['fetch: the adapter cannot fetchStatus: add the method'];
  const [fact] = fetch.events ?? [];
  const payment = toStoredPayment(
    adapter,
    {
      reference: fact?.['reference'] ?? 'GW-10042-1',
      amount: fact?.['amount'] ?? '1',
      unit: fact?.['currency'] ?? 'EUR',
      providerReference: pings[0]?.providerReference ?? undefined,
      ...vector.payment,
    },
    options,
    now,
  );
  const scripted = run.contextFor([fetch], vector.payment);
  const report = await playFetch(adapter.fetchStatus(payment, scripted.context, pings[0]?.subReference));
  const events = report.result === 'events' ? withStatus(adapter, report.events, 'fetch') : [];
  const found = [
    ...scripted.requestDifferences(),
    ...(fetch.events ? compareEvents(withToken(fetch.events), events) : []),
    ...(fetch.result === 'try later' && report.result !== 'no_information'
      ? [`result: expected no statement (\`noInformation\`), got ${report.result}`]
      : []),
  ].map((line) => `fetch: ${line}`);

  if (!fetch.markSeen) return found;
  if (!adapter.markSeen) return [...found, 'markSeen: the adapter has no such method: add it'];
  const note = report.result === 'events' ? report.seenToken : undefined;
  if (note === undefined) return [...found, 'markSeen: the fetch gave no `seenToken`, so core would not call it'];
  const after = run.contextFor([fetch.markSeen], vector.payment);
  const result = await playCommit(adapter.markSeen(payment, note, after.context));
  return [
    ...found,
    ...[...after.requestDifferences(), ...compareCall(fetch.markSeen.expect, result, false)].map(
      (line) => `markSeen: ${line}`,
    ),
  ];
}
