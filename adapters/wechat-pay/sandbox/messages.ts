/** How WeChat Pay speaks and listens: what it signs and encrypts, and our signature that it checks. */
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
/** WeChat Pay's half of the keys; the first of `keys` signs, all can be asked for. */
const ProviderSide = v.object({
  keys: v.pipe(v.array(v.object({ certificate: Certificate, privateKey: PrivateKey })), v.minLength(1)),
  merchantKeys: v.pipe(v.array(v.object({ serial: v.string(), publicKey: PublicKey })), v.minLength(1)),
});

const summaries: Readonly<Record<string, string>> = {
  'TRANSACTION.SUCCESS': '支付成功',
  'REFUND.SUCCESS': '退款成功',
  'REFUND.ABNORMAL': '退款异常',
  'REFUND.CLOSED': '退款关闭',
};

export interface Messages {
  /** The answer to a request that we did not sign, or not now; undefined: it is genuine. */
  refuse(request: SandboxRequest): Reply | undefined;
  /** A signed answer; without a value it has no body. */
  answer(status: number, value?: unknown): Reply;
  /** A signed error. */
  error(status: number, code: string, message: string): Reply;
  /** Every platform certificate, encrypted for us. */
  certificates(): Reply;
  /** One notification; `facts` runs as it first goes out, and gives nothing where there is nothing to report any more. */
  notification(event: string, url: string, after: number, facts: () => object | undefined): Message;
  /** Its signature is none, to see whether we verify: it must be refused. */
  probe(url: string): Message;
}

export function createMessages({ options, providerSide, baseUrl }: SandboxSetup<Options>): Messages {
  const side = readAs(ProviderSide, providerSide);
  if (!side) {
    throw new TypeError('the sandbox of wechat-pay needs the other half of the keys: sandbox.options.keys and .merchantKeys');
  }
  const { keys, merchantKeys } = side;
  const base = new URL(baseUrl).pathname.replace(/\/$/, '');
  const [{ certificate, privateKey }] = keys as [(typeof keys)[number]];

  function encrypted(plaintext: string, aad: string) {
    return closeResource(options.apiV3Keys[0]!, plaintext, newId('', 12), aad);
  }

  function signed(body: string, forged = false): Readonly<Record<string, string>> {
    const head = { time: String(Math.floor(Date.now() / 1000)), nonce: randomBytes(16).toString('hex') };
    const signer = { serial: serialOf(certificate)!, privateKey };
    return { 'Content-Type': 'application/json', ...signedHeaders(signer, head, Buffer.from(forged ? `${body} ` : body)) };
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
      const data = keys.map((one) => ({
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

  /** A repetition has the same bytes, under another signature. */
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

/** To the second, in China's time. */
export function timeText(ms: number): string {
  return new Date(ms + 8 * 3_600_000).toISOString().replace(/\.\d+Z/, '+08:00');
}
