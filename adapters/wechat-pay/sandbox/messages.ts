/** WeChat Pay's messages: signs and encrypts them, and verifies the gateway's signature. */
import { randomBytes, verify } from 'node:crypto';
import {
  isFresh,
  onlyHeader,
  readAs,
  readBase64,
  stringifyExact,
  v,
  type CallbackRequest,
  type SandboxSetup,
} from '@paywright/contract';
import { newId, type Message, type Reply, type SandboxRequest } from '@paywright/contract/sandbox';
import { PrivateKey, PublicKey, readPublicKey, serialOf, type Options } from '../options.ts';
import { closeResource } from '../resource.ts';
import { signedHeaders, signedText } from '../signing.ts';

const TOLERANCE_MS = 300_000;
const YEAR_MS = 365 * 86_400_000;

const Certificate = v.pipe(
  v.string(),
  v.check((pem) => serialOf(pem) !== undefined, 'a certificate in PEM'),
);
const keys = v.pipe(v.array(v.object({ certificate: Certificate, privateKey: PrivateKey })), v.minLength(1));
/** The keys that sign messages: the first of them, unless a message names another one. */
export const ProviderKeys = v.object({ keys });
/** WeChat Pay's half of all keys. The gateway can download every certificate. */
const ProviderSide = v.object({
  keys,
  merchantKeys: v.pipe(v.array(v.object({ serial: v.string(), publicKey: PublicKey })), v.minLength(1)),
});

const summaries: Readonly<Record<string, string>> = {
  'TRANSACTION.SUCCESS': '支付成功',
  'REFUND.SUCCESS': '退款成功',
  'REFUND.ABNORMAL': '退款异常',
  'REFUND.CLOSED': '退款关闭',
};

export interface Messages {
  /** The error answer, if the gateway did not sign the request now. */
  refuse(request: SandboxRequest): Reply | undefined;
  /** A signed answer. Without a value it has no body. */
  readonly answer: (status: number, value?: unknown) => Reply;
  /** A signed error. */
  readonly error: (status: number, code: string, message: string) => Reply;
  /** Every platform certificate, encrypted with the APIv3 key. */
  certificates(): Reply;
  /** A notification. `facts` runs before the first delivery, and returns undefined if there is nothing to report. */
  notification(event: string, url: string, after: number, facts: () => object | undefined): Message;
  /** A notification with a wrong signature, as WeChat Pay sends it to test the receiver. It must be refused. */
  probe(url: string): Message;
}

export function createMessages({ options, providerSide, baseUrl }: SandboxSetup<Options>): Messages {
  const side = readAs(ProviderSide, providerSide);
  if (!side) {
    throw new TypeError(
      'the sandbox of wechat-pay needs the other half of the keys: `keys` and `merchantKeys` of sandbox.options',
    );
  }
  const { keys: signers, merchantKeys } = side;
  const base = new URL(baseUrl).pathname.replace(/\/$/, '');
  const [{ certificate, privateKey }] = signers as [(typeof signers)[number]];

  function encrypted(plaintext: string, aad: string) {
    return closeResource(options.apiV3Keys[0]!, plaintext, newId('', 12), aad);
  }

  function signed(body: string, forged = false): Readonly<Record<string, string>> {
    const head = { time: String(Math.floor(Date.now() / 1000)), nonce: randomBytes(16).toString('hex') };
    const signer = { serial: serialOf(certificate)!, privateKey };
    return {
      'Content-Type': 'application/json',
      ...signedHeaders(signer, head, Buffer.from(forged ? `${body} ` : body)),
    };
  }

  function answer(status: number, value?: unknown): Reply {
    const body = value === undefined ? '' : stringifyExact(value);
    return { status, headers: signed(body), body };
  }

  function notify(url: string, body: string, headers: Readonly<Record<string, string>>): CallbackRequest {
    return { method: 'POST', url, headers, body };
  }

  return {
    refuse(request) {
      const { method, path, query, body } = request;
      const given = onlyHeader(request, 'Authorization') ?? '';
      const read = (name: string): string => new RegExp(`[ ,]${name}="([^"]+)"`).exec(given)?.[1] ?? '';
      const [time, nonce, signature] = [read('timestamp'), read('nonce_str'), readBase64(read('signature'))];
      const known = merchantKeys.find(({ serial }) => serial === read('serial_no'));
      const key = known && readPublicKey(known.publicKey);
      const target = base + path + (query && `?${query}`);
      const text = signedText([method, target, time, nonce], body);
      const isRight =
        given.startsWith('WECHATPAY2-SHA256-RSA2048 ') &&
        read('mchid') === options.mchid &&
        onlyHeader(request, 'User-Agent') !== undefined &&
        key !== undefined &&
        signature !== undefined &&
        verify('sha256', text, key, signature) &&
        isFresh(Number(time) * 1000, new Date(), TOLERANCE_MS);
      if (isRight) return undefined;
      const error = { code: 'SIGN_ERROR', message: 'the signature, or its time' };
      return { status: 401, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(error) };
    },
    answer,
    error: (status, code, message) => answer(status, { code, message }),

    certificates() {
      const [effective_time, expire_time] = [-YEAR_MS, YEAR_MS].map((ms) => timeText(Date.now() + ms));
      const data = signers.map((one) => ({
        serial_no: serialOf(one.certificate),
        effective_time,
        expire_time,
        encrypt_certificate: encrypted(one.certificate, 'certificate'),
      }));
      return answer(200, { data });
    },

    notification(event, url, after, facts) {
      let body: string | undefined;
      return {
        name: event,
        after,
        request({ forged }) {
          const content = body === undefined ? facts() : undefined;
          if (content) body = bodyOf(event, stringifyExact(content));
          return body === undefined ? undefined : notify(url, body, signed(body, forged));
        },
      };
    },

    probe(url) {
      const body = bodyOf('TRANSACTION.SUCCESS', '{}');
      const headers = { ...signed(body), 'Wechatpay-Signature': 'WECHATPAY/SIGNTEST/nothing' };
      return { name: 'probe', after: 0, request: () => notify(url, body, headers) };
    },
  };

  /** A repetition has the same body and a new signature. */
  function bodyOf(event: string, plaintext: string): string {
    const original_type = event.startsWith('REFUND') ? 'refund' : 'transaction';
    return JSON.stringify({
      id: newId('EV-'),
      create_time: timeText(Date.now()),
      resource_type: 'encrypt-resource',
      event_type: event,
      summary: summaries[event] ?? event,
      resource: { original_type, ...encrypted(plaintext, original_type) },
    });
  }
}

/** A time to the second, in the zone of China. */
export function timeText(ms: number): string {
  return new Date(ms + 8 * 3_600_000).toISOString().replace(/\.\d+Z/, '+08:00');
}
