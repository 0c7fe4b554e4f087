/** What the tests of this adapter share: options, signed deliveries, answers of the server, calls that are answered by script. */
import { v, type HttpReply, type Outcome, type Provider, type StoredPayment, type Submission } from '@gateway/contract';
import {
  playCallback,
  sampleStored,
  sampleSubmission,
  scriptedHttp,
  scriptedProvider,
  type CoreSays,
  type PlayedCallback,
} from '@gateway/contract/testing';
import { hook, signatureOf } from '../hook.ts';
import coinServer from '../index.ts';
import { Options } from '../options.ts';

export const options: Options = v.parse(Options, {
  baseUrl: 'https://coins.example',
  sandboxBaseUrl: 'https://sandbox.coins.example',
  storeId: 'st_Test1',
  apiToken: 'tok_test_1',
  hookSecrets: ['hook-secret-nëw', 'hook-secret-old'],
});
export const pageOptions: Options = { ...options, flow: 'page' };

export const now = new Date('2026-03-02T09:15:30.000Z');

const { card: _card, ...cardless } = sampleSubmission;
export const submission: Submission = cardless;
export const stored: StoredPayment = { ...sampleStored('inv_1', now), method: 'crypto' };

/** Members of a message; undefined leaves one out. */
export type Members = Readonly<Record<string, unknown>>;

/** A callback about `submission`. */
export function notice(members: Members = {}): Members {
  return {
    deliveryNo: 'dl_2',
    firstDeliveryNo: 'dl_1',
    resent: true,
    type: 'invoice.settled',
    invoice: 'inv_1',
    ref: 'GW-10042-1',
    storeId: 'st_Test1',
    time: 1795251600,
    ...members,
  };
}

/** An invoice about `submission`, as an answer shows it. */
export function invoice(state: string, members: Members = {}): Members {
  return {
    invoice: 'inv_1',
    ref: 'GW-10042-1',
    storeId: 'st_Test1',
    state,
    flags: [],
    price: '25.90',
    unit: 'EUR',
    paid: '0.00',
    reason: null,
    due: { coin: 'BTC', network: 'bitcoin', address: 'bc1qxyz', amount: '0.00041440' },
    got: '0.00000000',
    page: 'https://coins.example/i/inv_1',
    closesAt: 1772443830,
    ...members,
  };
}

export interface Sent {
  readonly message?: unknown;
  /** The body, where it is not the message's plain JSON. */
  readonly body?: string | Uint8Array;
  readonly secret?: string;
  /** Values of `X-Cr-Sig`, made of the right hex. */
  readonly signature?: (hex: string) => readonly string[];
}

/** Delivers a callback; `coreSays` is what core decides once it is read. */
export function deliver(
  sent: Sent,
  coreSays: CoreSays = 'accepted',
  given: Options = options,
): Promise<PlayedCallback> {
  const { message = notice(), secret = options.hookSecrets[0]!, signature = (hex) => [`sha256=${hex}`] } = sent;
  const body = Buffer.from((sent.body ?? JSON.stringify(message)) as string);
  const raw = {
    method: 'POST',
    path: '/callbacks/crypto',
    query: '',
    headers: signature(signatureOf(secret, body).toString('hex')).map((value) => ['X-Cr-Sig', value] as const),
    body,
    remoteAddress: '127.0.0.1',
    receivedAt: now,
  };
  return playCallback(coinServer, hook, raw, scriptedProvider({ options: given, now }), coreSays);
}

/** Makes a call that the given answer answers. */
export function answered<T>(
  given: HttpReply,
  call: (provider: Provider<Options>) => Promise<T>,
  own: Options = options,
): Promise<T> {
  return call(scriptedProvider({ options: own, now, http: scriptedHttp([given]) }));
}

export function submit(given: HttpReply, own: Options = options): Promise<Outcome> {
  return answered(given, (provider) => coinServer.submit(submission, provider), own);
}
