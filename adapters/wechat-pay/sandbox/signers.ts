/** Signs messages again as WeChat Pay does: with the time, the nonce and the serial that a message came with. */
import { onlyHeader, readAs, type HttpReply, type ProviderSide, type RawCallback } from '@paywright/contract';
import { serialOf, type Options } from '../options.ts';
import { signedHeaders } from '../signing.ts';
import { ProviderKeys } from './messages.ts';

export function signCallback(raw: RawCallback, _options: Options, providerSide: ProviderSide): RawCallback {
  return { ...raw, headers: signAgain(raw, providerSide) };
}

/** An answer without a signature, such as an error of a proxy, stays as it is. */
export function signAnswer(reply: HttpReply, _options: Options, providerSide: ProviderSide): HttpReply {
  const isSigned = onlyHeader(reply, 'Wechatpay-Signature') !== undefined;
  return isSigned ? { ...reply, headers: signAgain(reply, providerSide) } : reply;
}

function signAgain(message: Pick<RawCallback, 'headers' | 'body'>, providerSide: ProviderSide): RawCallback['headers'] {
  const side = readAs(ProviderKeys, providerSide);
  if (!side) throw new TypeError("WeChat Pay's half of the keys is missing: `providerSide.keys` of the vectors file");
  const [time = '', nonce = '', named] = ['Timestamp', 'Nonce', 'Serial'].map((name) =>
    onlyHeader(message, `Wechatpay-${name}`),
  );
  const keys = side.keys.map(({ certificate, privateKey }) => ({ serial: serialOf(certificate)!, privateKey }));
  const { serial, privateKey } = keys.find((key) => key.serial === named) ?? keys[0]!;
  const signed = signedHeaders({ serial, privateKey }, { time, nonce }, message.body);
  const others = message.headers.filter(([name]) => !(name in signed));
  return [...others, ...Object.entries(signed)];
}
