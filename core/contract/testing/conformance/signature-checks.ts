/**
 * Checks of the signature alone: the content of a callback is intact, and only the parts that carry its signature are
 * changed. A message that is encrypted too hides a signature that is never compared, because its cipher notices every
 * other change.
 */
import { secretPaths } from '../../proof/options.ts';
import type { RawCallback } from '../../callback.ts';
import { withOtherKeys } from '../other-keys.ts';
import type { Damaged } from './damage.ts';
import { demand, type Check, type Reason } from './kit.ts';
import { brokenOpaqueRuns, brokenSignatures, partsOf, type Part } from './message-parts.ts';
import { demandRefused, isBelieved, isRefused, routeCheck, unsigned, type CheckedRoute } from './route-check.ts';
import { changeSecrets } from './secrets.ts';
import type { GoodCallback, Subject } from './subject.ts';

/** One message signed twice: as the provider does, and by another sender with other secrets and key pairs. */
export interface SignedTwice<M> {
  readonly ours: M;
  readonly foreign: M;
}

export function signatureChecks<Options>(subject: Subject<Options>, route: CheckedRoute<Options>): Check[] {
  return [
    routeCheck(route, 'is genuine only with every bit of its signature', async (good) => {
      if (good.vector.expect.genuine !== true) return unsigned(good);
      const twice = signCallbackTwice(subject, good);
      return twice ? checkSigned(subject, good, twice) : checkUnknown(subject, good);
    }),
  ];
}

/** Undefined if the kit has no signer for the route, or if it changes nothing. */
export function signCallbackTwice<Options>(
  subject: Subject<Options>,
  { routeName, raw }: GoodCallback<Options>,
): SignedTwice<RawCallback> | undefined {
  const { sign } = subject.routeKit(routeName);
  if (!sign) return undefined;
  return signTwice(subject, (options, side) => sign(raw, options, side));
}

/** Undefined if both signatures are the same: the signer uses neither a secret nor a private key that the kit knows. */
export function signTwice<Options, M extends Parameters<typeof partsOf>[0]>(
  subject: Subject<Options>,
  sign: (options: Options, side: Subject<Options>['providerSide']) => M,
): SignedTwice<M> | undefined {
  const others = changeSecrets(subject, secretPaths(subject.adapter.manifest.options));
  const ours = sign(subject.readOptions(subject.file.options), subject.providerSide);
  const foreign = sign(subject.readOptions(others), withOtherKeys(subject.providerSide));
  return signatureParts({ ours, foreign }).length > 0 ? { ours, foreign } : undefined;
}

/** The parts that differ between the two signatures, each with its foreign value. */
export function signatureParts<M extends Parameters<typeof partsOf>[0]>({
  ours,
  foreign,
}: SignedTwice<M>): { readonly part: Part<M>; readonly other: string }[] {
  const theirs = partsOf(foreign);
  return partsOf(ours).flatMap((part, at) => {
    const other = theirs[at]?.what === part.what ? theirs[at].value : '';
    return other === part.value ? [] : [{ part, other }];
  });
}

/** The message with each of its signatures broken, foreign, empty and absent. */
export function* withBrokenSignature<M extends Parameters<typeof partsOf>[0]>(
  twice: SignedTwice<M>,
): Generator<{ readonly what: string; readonly message: M }> {
  for (const { part, other } of signatureParts(twice)) {
    for (const value of brokenSignatures(part.value, other))
      yield { what: `one bit of the signature in ${part.what} changed`, message: part.put(value) };
    yield { what: `the signature of another sender in ${part.what}`, message: part.put(other) };
    yield { what: `an empty signature in ${part.what}`, message: part.put('') };
    if (part.drop) yield { what: `no ${part.what}`, message: part.drop() };
  }
}

const cure =
  'verify each signature of a message in constant time, and answer `invalidSignature` if one is wrong, also if the content could be decrypted or read';

async function checkSigned<Options>(
  subject: Subject<Options>,
  good: GoodCallback<Options>,
  twice: SignedTwice<RawCallback>,
): Promise<Reason> {
  demand(
    !(await isRefused(subject, good, twice.ours)),
    `"${good.vector.name}" is refused after \`sign\` of the kit signed it again`,
    'let `sign` sign as the provider does: with the current secret or key, and with the time and id of the callback',
  );
  for (const { what, message } of withBrokenSignature(twice))
    await demandRefused(subject, good, { what, raw: message }, cure);
  return undefined;
}

/** Without a signer, the values that look like a signature are tried, and some change must be refused at all. */
async function checkUnknown<Options>(subject: Subject<Options>, good: GoodCallback<Options>): Promise<Reason> {
  const { raw, vector, routeName } = good;
  const said = JSON.stringify(subject.believed(good, await subject.deliver(good)));
  const hint =
    'if it is not a signature, give the kit `sign`: it learns from two signatures which parts of a callback carry one';
  let refused = 0;
  for (const part of partsOf(raw).filter(({ what }) => what.toLowerCase() !== 'header content-type')) {
    for (const value of brokenOpaqueRuns(part.value).filter(() => !said.includes(part.value))) {
      const changed: Damaged = { what: `one bit of ${part.what} changed`, raw: part.put(value) };
      await demandRefused(subject, good, changed, `${cure}; ${hint}`);
      refused += 1;
    }
    for (const value of brokenSignatures(part.value, '').slice(0, 1))
      if (await isRefused(subject, good, part.put(value))) refused += 1;
  }
  if (refused > 0) return undefined;
  demand(!isBelieved(good), `"${vector.name}" is judged as genuine whichever part of it is changed`, cure);
  return `no part of a callback to ${routeName} is recognised as its signature: give the kit \`sign\``;
}
