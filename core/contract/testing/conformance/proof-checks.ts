/**
 * Checks that only genuine callbacks are believed, for every way in which an attacker or a proxy can change, cut,
 * sign or repeat one.
 */
import type { RawCallback } from '../../callback.ts';
import { secretPaths } from '../../proof/options.ts';
import { readJson } from '../../read/json.ts';
import { differences, isObject } from '../difference.ts';
import { checksumChecks } from './checksum-checks.ts';
import { chooseSamples } from './choose-samples.ts';
import { damagedVariants, foreignVariants, withoutParts } from './damage.ts';
import { keyChecks } from './key-checks.ts';
import { demand, skip, type Check, type Reason } from './kit.ts';
import {
  demandNotBelieved,
  demandNothingNew,
  demandRefused,
  isBelieved,
  routeCheck,
  unbelieved,
  unsigned,
  type CheckedRoute,
} from './route-check.ts';
import { changeSecrets, secretLists, secretsAlone, withAdded } from './secrets.ts';
import { signatureChecks, signCallbackTwice, withBrokenSignature } from './signature-checks.ts';
import type { GoodCallback, Subject } from './subject.ts';
import { countProofs } from './watch.ts';

const rule = 'proof';
const farMs = 10 * 86_400_000;

export function proofChecks<Options>(subject: Subject<Options>): Check[] {
  const { adapter, goodCallbacks } = subject;
  const shown = new Set(goodCallbacks.map(({ routeName }) => routeName));
  return [
    {
      rule,
      title: 'has a genuine sample of every route among its vectors',
      async run() {
        for (const { method, path } of adapter.callbacks) {
          demand(
            shown.has(`${method} ${path}`),
            `no vector is a genuine callback to ${method} ${path} that reports something, so nothing shows how the route is verified`,
            'record one; if nothing signs the route, with `"genuine": "unproven"` and `"mustFetch": true`; a key that is fetched for every callback belongs in `standing` of the file, not in `keyFetch`',
          );
        }
      },
    },
    ...[...shown].flatMap((name) => routeChecks(subject, name)),
  ];
}

function routeChecks<Options>(subject: Subject<Options>, name: string): Check[] {
  const goods = subject.goodCallbacks.filter(({ routeName }) => routeName === name);
  const route = { name, goods: chooseSamples(goods) };
  return [
    ...forgedSampleChecks(subject, route),
    ...damageChecks(subject, route),
    ...signatureChecks(subject, route),
    ...keyChecks(subject, route),
    ...checksumChecks(subject, name),
    ...secretChecks(subject, route),
    ...rotationChecks(subject, route),
    ...originChecks(subject, route),
  ];
}

/**
 * Where core fetches every event of a route, a forged callback can make it believe nothing, so most rules of proof
 * prove nothing there. Then forged samples must show that a wrong signature is refused.
 */
function forgedSampleChecks<Options>({ file }: Subject<Options>, { name, goods }: CheckedRoute<Options>): Check[] {
  if (goods.some(isBelieved)) return [];
  return [
    {
      rule,
      title: `${name}: core believes nothing there, so a forged sample shows that a wrong signature is refused`,
      async run() {
        const [first] = goods;
        if (first && goods.every(({ vector }) => vector.expect.genuine !== true)) skip(unsigned(first));
        const forged = file.callbacks.some(
          ({ route, request, expect }) =>
            `${request.method} ${route}` === name && expect.genuine === 'invalid_signature',
        );
        demand(
          forged,
          `core believes nothing of ${name}, because it fetches every event, and no vector shows that a wrong signature is refused`,
          'add samples with `"genuine": "forged"`: another secret, a changed byte, a missing signature',
        );
      },
    },
  ];
}

/** The unchanged callback is believed, and a damaged one says nothing new. */
function damageChecks<Options>(subject: Subject<Options>, route: CheckedRoute<Options>): Check[] {
  return [
    routeCheck(route, 'accepts a genuine callback, with the same result each time', async (good) => {
      const [first, again] = [await subject.deliver(good), await subject.deliver(good)];
      demand(
        first?.genuine === true || first?.genuine === 'unproven',
        `"${good.vector.name}" is judged as ${first?.genuine}`,
        'run its vectors first',
      );
      const different = differences('events', first.events, again?.events);
      demand(
        different.length === 0,
        `"${good.vector.name}" says something else the second time: ${different.join('; ')}`,
        'make each `dedupeKey` from what the message says: no counter, no clock, no random value',
      );
      return undefined;
    }),
    routeCheck(route, 'believes nothing that a changed byte says', async (good) => {
      await demandNothingNew(
        subject,
        good,
        damagedVariants(good.raw, good === route.goods[0] ? 'every byte' : 'a sample'),
        'verify the raw bytes, or every member that core believes; set `mustFetch` for a member that is not covered',
      );
      return unbelieved(good);
    }),
    routeCheck(route, 'believes nothing new from a callback that lacks a header, a pair or a member', async (good) => {
      await demandNothingNew(
        subject,
        good,
        withoutParts(good.raw),
        'treat missing parts as forged or malformed, with a schema',
      );
      return unbelieved(good);
    }),
    routeCheck(
      route,
      'handles arbitrary bytes without throwing',
      async (good) => {
        await demandNothingNew(
          subject,
          good,
          foreignVariants(good.raw),
          'a message that cannot be read is `malformed`',
        );
        return undefined;
      },
      'containment',
    ),
  ];
}

/** Only our secrets verify a callback, and the comparison takes constant time. */
function secretChecks<Options>(subject: Subject<Options>, route: CheckedRoute<Options>): Check[] {
  return [
    routeCheck(route, 'is verified by our secrets and by no other', async (good) => {
      const twice = signCallbackTwice(subject, good);
      if (twice) {
        await demandRefused(
          subject,
          good,
          { what: 'the signature of another sender', raw: twice.foreign },
          "verify the signature with our secret or the provider's public key, before anything else of the message counts",
        );
      }
      if (subject.routeKit(route.name).signedByKeyPair) {
        if (subject.file.standing.length > 0) {
          return demandNotBelieved(
            subject,
            good,
            "none of the provider's keys available",
            { withoutStanding: true },
            'answer `tryLater` if the key is not available, and verify with it if it is',
          );
        }
        return twice
          ? undefined
          : 'a public key verifies the route: give the kit `sign`, and the private key in `providerSide` of the vectors';
      }
      const options = changeSecrets(subject, secretPaths(subject.adapter.manifest.options));
      return demandNotBelieved(
        subject,
        good,
        'other secrets than ours',
        { options },
        'compute the MAC with the secret of the options (if the provider signs with a key pair, set `signedByKeyPair` in the kit)',
      );
    }),
    routeCheck(route, 'compares in constant time', async (good) => {
      const options = changeSecrets(subject, secretPaths(subject.adapter.manifest.options));
      const twice = signCallbackTwice(subject, good);
      const [broken] = twice ? withBrokenSignature(twice) : [];
      const played: (string | boolean | undefined)[] = [];
      const proofs = await countProofs(async () => {
        const result = await subject.deliver(good, broken ? { raw: broken.message } : { options });
        const safe = result?.events.every(({ mustFetch }) => mustFetch) && result.genuine === true;
        played.push(safe ? 'asks' : result?.genuine);
      });
      if (played[0] === 'asks' || played[0] === 'unproven') return unbelieved(good) ?? unsigned(good);
      demand(
        proofs > 0,
        `"${good.vector.name}" with a wrong signature was refused by a comparison whose time depends on the values`,
        'compare with `sameBytes`, `sameText` or `verifyWithAny`, never with `===` or `==`',
      );
      return undefined;
    }),
    routeCheck(route, 'is not verified by an empty secret', async (good) => {
      let reason: Reason = `no secret of the options that can be emptied verifies "${good.vector.name}"`;
      for (const { path, options } of emptiedSecrets(subject)) {
        const { sign } = subject.routeKit(route.name);
        const read = subject.tryOptions(options);
        const signed = () => sign!(good.raw, read!, subject.providerSide);
        const raw = sign && read !== undefined ? signOrKeep(good.raw, signed) : good.raw;
        const before = await subject.deliver(good, { options: changeSecrets(subject, [path]) });
        if (before?.genuine === true) continue;
        reason = await demandNotBelieved(
          subject,
          good,
          `an empty ${path.join('.')}`,
          { options, raw },
          'refuse empty secrets in the options schema; `hmac` and `verifyWithAny` never accept one',
        );
      }
      return reason;
    }),
  ];
}

/** While a secret is rotated, the previous one still counts. */
function rotationChecks<Options>(subject: Subject<Options>, route: CheckedRoute<Options>): Check[] {
  return [
    routeCheck(route, 'is also verified by the previous secret during a rotation', async (good) => {
      const rotations = await listRotations(subject, good);
      for (const { list, rotated } of rotations) {
        const played = await subject.deliver(good, { options: rotated });
        demand(
          played?.genuine === true,
          `"${good.vector.name}" is refused once a newer ${list} precedes the one that signed it`,
          'try every secret of the list: `verifyWithAny`',
        );
      }
      return rotations.length > 0 ? undefined : withoutRotation(good);
    }),
    routeCheck(
      route,
      'is acknowledged with the key that the protocol names',
      async (good) => {
        const { acknowledgedBy } = subject.routeKit(route.name);
        let reason: Reason = withoutRotation(good);
        for (const { alone: only, rotated } of await listRotations(subject, good)) {
          const [one, both] = [
            await subject.deliver(good, { options: only }),
            await subject.deliver(good, { options: rotated }),
          ];
          if (one?.genuine !== true || both?.genuine !== true) continue;
          reason = undefined;
          const different = differences('acknowledgement', one.acknowledgement, both.acknowledgement);
          const where = `"${good.vector.name}", verified by the second of two secrets,`;
          if (acknowledgedBy === 'first') {
            demand(
              different.length > 0,
              `${where} is acknowledged with the secret that verified it`,
              'sign the acknowledgement with the first secret of the list',
            );
          } else {
            demand(
              different.length === 0,
              `${where} is acknowledged with another: ${subject.hide(different.join('; '))}`,
              'sign the acknowledgement with the secret that `ctx.verified.key` names; if the protocol requires the first secret, set `acknowledgedBy` in the kit',
            );
          }
        }
        return reason;
      },
      'acknowledgement',
    ),
  ];
}

/** Age, account and exact bytes of a callback. */
function originChecks<Options>(subject: Subject<Options>, route: CheckedRoute<Options>): Check[] {
  return [
    routeCheck(route, 'applies the same tolerance to the past and the future', async (good) => {
      const ages = [-farMs, farMs].map((ms) => new Date(good.now.getTime() + ms));
      const [past, future] = [
        await subject.deliver(good, { now: ages[0]! }),
        await subject.deliver(good, { now: ages[1]! }),
      ];
      demand(
        past?.genuine === future?.genuine,
        `"${good.vector.name}" ten days early is ${past?.genuine}, ten days late ${future?.genuine}`,
        'use `isFresh`: a tolerance applies both ways',
      );
      if (past?.genuine !== true) return past?.genuine === 'unproven' ? unsigned(good) : undefined;
      const timed = subject.file.callbacks.some(
        ({ route: path, request, expect }) => `${request.method} ${path}` === route.name && expect.genuine === 'stale',
      );
      if (!timed) return `no vector of ${route.name} is stale, so its messages carry no time that the kit knows of`;
      demand(
        past.events.every(({ mustFetch }) => mustFetch) && (await becomesStale(subject, route)),
        `"${good.vector.name}" is judged as genuine ten days away`,
        'answer `stale` if the signed time is out of tolerance',
      );
      return unbelieved(good);
    }),
    routeCheck(route, 'believes nothing that is meant for another account', async (good) => {
      const { otherAccount } = subject.kit;
      if (!otherAccount || subject.routeKit(route.name).namesNoAccount)
        return `the kit says that no message of ${route.name} names an account`;
      if (good.vector.expect.genuine !== true) return unsigned(good);
      demand(
        subject.tryOptions({ ...subject.file.options, ...otherAccount }) !== undefined,
        '`otherAccount` of the kit is refused by the options schema',
        'give an account that could be real',
      );
      const played = await subject.deliver(good, { verifyOptions: otherAccount });
      demand(
        !played || played.genuine !== true || played.events.length === 0,
        `"${good.vector.name}" is believed if \`verifySignature\` has the options of another account`,
        'compare the account in the message with `options` inside `verifySignature`: another one is forged or gives no event (if the messages of the route name no account, set `namesNoAccount` in the kit)',
      );
      return undefined;
    }),
    routeCheck(
      route,
      'verifies the bytes as they arrived',
      async (good) => {
        const { sign } = subject.routeKit(route.name);
        const spaced = withOtherSpaces(good.raw);
        if (!spaced) return `the callbacks of ${route.name} are not JSON objects, which could be spelled differently`;
        if (!sign) return 'the kit has no `sign` for the route, so it cannot sign another spelling';
        const raw = sign(spaced, subject.readOptions(subject.file.options), subject.providerSide);
        if (!Buffer.from(raw.body).equals(spaced.body)) return '`sign` of the kit writes the body itself';
        const said = await subject.deliver(good);
        const played = await subject.deliver(good, { raw });
        demand(
          played?.genuine === said?.genuine &&
            JSON.stringify(subject.believed(good, played)) === JSON.stringify(subject.believed(good, said)),
          `"${good.vector.name}", with other spaces and a matching signature, is judged as ${played?.genuine}`,
          'compute the signature over `raw.body`, never over text that was parsed and serialized again',
        );
        return undefined;
      },
      'bytes',
    ),
  ];
}

/** True if a sample of the route is refused ten days later: a route may also accept messages that name no time. */
async function becomesStale<Options>(subject: Subject<Options>, { goods }: CheckedRoute<Options>): Promise<boolean> {
  for (const good of goods) {
    const played = await subject.deliver(good, { now: new Date(good.now.getTime() + farMs) });
    if (played?.genuine === 'stale') return true;
  }
  return false;
}

function withoutRotation<Options>({ vector }: GoodCallback<Options>): string {
  return `no list of secrets in the options verifies "${vector.name}"`;
}

interface Rotation {
  /** The option that holds the list. */
  readonly list: string;
  /** The only secret that verifies the callback, and below it the same secret after a newer one. */
  readonly alone: Readonly<Record<string, unknown>>;
  readonly rotated: Readonly<Record<string, unknown>>;
}

/** Each list of secrets that verifies the callback, before and during a rotation. */
async function listRotations<Options>(subject: Subject<Options>, good: GoodCallback<Options>): Promise<Rotation[]> {
  const found: Rotation[] = [];
  for (const path of secretLists(subject)) {
    const changed = await subject.deliver(good, { options: changeSecrets(subject, [path]) });
    if (!changed || changed.genuine === true) continue;
    for (const one of secretsAlone(subject, path)) {
      const only = await subject.deliver(good, { options: one.options });
      const rotated = withAdded(subject, path, one.value);
      if (only?.genuine === true && rotated) found.push({ list: path[0]!, alone: one.options, rotated });
    }
  }
  return found;
}

/** Options with one secret, or one list of secrets, emptied. */
function emptiedSecrets<Options>({ adapter, file }: Subject<Options>) {
  return secretPaths(adapter.manifest.options).flatMap((path) => {
    const [name, ...rest] = path;
    if (name === undefined || rest.length > 1) return [];
    const values: unknown[] = rest[0] === '*' && Array.isArray(file.options[name]) ? [[], ['']] : rest[0] ? [] : [''];
    return values.map((value) => ({ path, options: { ...file.options, [name]: value } }));
  });
}

/** A signer may refuse an empty secret; the callback then keeps its signature. */
function signOrKeep(raw: RawCallback, sign: () => RawCallback): RawCallback {
  try {
    return sign();
  } catch (error) {
    if (error instanceof RangeError) return raw;
    throw error;
  }
}

/** The same JSON with other spaces; undefined for other bodies, which cannot be spaced differently. */
function withOtherSpaces(raw: RawCallback): RawCallback | undefined {
  const body = Buffer.from(raw.body).toString();
  if (!isObject(readJson(body))) return undefined;
  return { ...raw, body: Buffer.from(` ${body.replace(/^\{/, '{ ')}\n`) };
}
