/** Signs recorded messages again as G does: with the time, the nonce and the serial that a message came with. */
import { onlyHeader, readAs, v, type HttpReply, type ProviderSide, type RawCallback } from '@paywright/contract';
import { PrivateKey, Serial, type Options } from '../options.ts';
import { signedHeaders, signedText } from '../signing.ts';

const Keys = v.object({ keys: v.pipe(v.array(v.object({ serial: Serial, privateKey: PrivateKey })), v.minLength(1)) });

export function signCallback(raw: RawCallback, _options: Options, providerSide: ProviderSide): RawCallback {
  return { ...raw, headers: signAgain(raw, providerSide) };
}

/** Errors, and the answers about a key, are not signed. */
export function signAnswer(reply: HttpReply, _options: Options, providerSide: ProviderSide): HttpReply {
  return onlyHeader(reply, 'G-Sign') === undefined ? reply : { ...reply, headers: signAgain(reply, providerSide) };
}

function signAgain(message: Pick<RawCallback, 'headers' | 'body'>, providerSide: ProviderSide): RawCallback['headers'] {
  const side = readAs(Keys, providerSide);
  if (!side) throw new TypeError("G's half of the keys is missing: `providerSide.keys` of the vectors file");
  const [time = '', nonce = '', named] = ['G-Time', 'G-Nonce', 'G-Serial'].map((name) => onlyHeader(message, name));
  const key = side.keys.find(({ serial }) => serial === named) ?? side.keys[0]!;
  const signed = signedHeaders(key, { time, nonce }, signedText([time, nonce], message.body));
  const others = message.headers.filter(([name]) => !(name in signed));
  return [...others, ...Object.entries(signed)];
}
