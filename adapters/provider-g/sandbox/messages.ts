/** G's messages: boxes, G's own signatures, and checks of our signatures. */
import { createPublicKey, randomBytes } from 'node:crypto';
import {
  isFresh,
  JsonNumber,
  onlyHeader,
  readAs,
  sameText,
  stringifyExact,
  v,
  type CallbackRequest,
  type SandboxSetup,
} from '@paywright/contract';
import { jsonReply, type Reply, type SandboxRequest, type Sending } from '@paywright/contract/sandbox';
import { closeBox } from '../box.ts';
import { PrivateKey, PublicKey, readPublicKey, Serial, type Options } from '../options.ts';
import { isSignedBy, readSignature, signedHeaders, signedText } from '../signing.ts';

const TOLERANCE_MS = 300_000;
const YEAR_MS = 365 * 86_400_000;

/** G's half of the keys. The first of `keys` signs; the others can only be requested. */
const ProviderSide = v.object({
  keys: v.pipe(v.array(v.object({ serial: Serial, privateKey: PrivateKey })), v.minLength(1)),
  merchantKeys: v.pipe(v.array(v.object({ serial: Serial, publicKey: PublicKey })), v.minLength(1)),
});

/** One event: reported by callback, and included in every status answer from then on. */
export interface Reported {
  readonly gid: string;
  readonly status: string;
  /** Minor units, in digits. */
  readonly minor: string;
  readonly cur: string;
  readonly why: string | null;
  readonly at: string;
}

export interface Messages {
  /**
   * The error answer for a request without a valid and current signature of the merchant's keys; undefined for a
   * genuine request.
   */
  refuse(request: SandboxRequest): Reply | undefined;
  /** A signed 200 whose content is in a box about `ref`. */
  answer(ref: string, members: Readonly<Record<string, unknown>>): Reply;
  /** The answer to a request for a key; undefined if no key has this serial. */
  key(serial: string): Reply | undefined;
  callback(gid: string, kind: string, members: Readonly<Record<string, unknown>>, sending: Sending): CallbackRequest;
}

export function createMessages({ options, providerSide, baseUrl, publicUrl }: SandboxSetup<Options>): Messages {
  const side = readAs(ProviderSide, providerSide);
  if (!side) {
    throw new TypeError("the sandbox of provider-g needs G's half of the keys: sandbox.options.keys and .merchantKeys");
  }
  const { keys, merchantKeys } = side;
  const base = new URL(baseUrl).pathname.replace(/\/$/, '');

  function boxed(ref: string, members: Readonly<Record<string, unknown>>) {
    return closeBox(options, ref, randomBytes(12), stringifyExact({ mid: options.merchantId, ...members }));
  }

  function signed(body: string, { forged }: Pick<Sending, 'forged'>): Readonly<Record<string, string>> {
    const head = { time: String(Math.floor(Date.now() / 1000)), nonce: randomBytes(16).toString('hex') };
    const text = signedText([head.time, head.nonce], Buffer.from(forged ? `${body} ` : body));
    return { 'Content-Type': 'application/json', ...signedHeaders(keys[0]!, head, text) };
  }

  return {
    refuse(request) {
      const signature = readSignature(request);
      const mine = merchantKeys.find(({ serial }) => serial === signature?.serial);
      const key = mine && readPublicKey(mine.publicKey);
      const { method, path, query, body } = request;
      const target = base + path + (query && `?${query}`);
      const isRight =
        signature &&
        key &&
        sameText(onlyHeader(request, 'G-Mid') ?? '', options.merchantId) &&
        isSignedBy(key, signedText([method, target, signature.time, signature.nonce], body), signature) &&
        isFresh(Number(signature.time) * 1000, new Date(), TOLERANCE_MS);
      return isRight ? undefined : errorReply(401, 'SIGNATURE');
    },

    answer(ref, members) {
      const body = JSON.stringify({ ref, box: boxed(ref, members) });
      return { status: 200, headers: signed(body, { forged: false }), body };
    },

    key(serial) {
      const found = keys.find((key) => key.serial === serial);
      if (!found) return undefined;
      const publicKey = createPublicKey(found.privateKey).export({ type: 'spki', format: 'pem' });
      const [from, until] = [-YEAR_MS, YEAR_MS].map((ms) => timeText(Date.now() + ms));
      return jsonReply(200, { ref: serial, box: boxed(serial, { serial, publicKey, from, until }) });
    },

    callback(gid, kind, members, sending) {
      const body = JSON.stringify({ gid, kind, box: boxed(gid, members) });
      return { method: 'POST', url: `${publicUrl}/callbacks/providerG`, headers: signed(body, sending), body };
    },
  };
}

/** An unencrypted error. `begun` false means that nothing was charged. */
export function errorReply(status: number, reason: string, begun = false): Reply {
  return jsonReply(status, { code: 'FAIL', reason, begun });
}

/** ISO 8601 in UTC, in seconds. */
export function timeText(ms = Date.now()): string {
  return new Date(ms).toISOString().replace(/\.\d+/, '');
}

/** An amount in the form of messages. It may have more digits than a double can hold. */
export function presentReported({ gid, status, minor, cur, why, at }: Reported) {
  return { gid, status, minor: new JsonNumber(minor), cur, why, at };
}
