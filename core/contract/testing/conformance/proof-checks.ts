/** Is it genuine? Every way to change, cut, re-sign or repeat a callback that an attacker or a proxy has. */
import type { RawCallback } from '../../callback.ts';
import { secretPaths } from '../../proof/options.ts';
import { readJson } from '../../read/json.ts';
import { differences, isObject } from '../difference.ts';
import { demand, type Check } from './kit.ts';
import type { GoodCallback, Subject, Variation } from './subject.ts';
import { countProofs } from './watch.ts';
import { damaged, foreign, withoutParts, type Damaged } from './damage.ts';
import { alone, changeSecrets, secretLists, withAdded } from './secrets.ts';

const rule = 'proof';
const farMs = 10 * 86_400_000;
/** Enough to meet every kind of message of a route. */
const maxPerRoute = 4;

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
            `no vector is a genuine callback to ${method} ${path} that reports something, so nothing shows what proves one`,
            'record one, or one with `"genuine": "unproven"` and `"mustFetch": true` where nothing signs the route; a key that is fetched for every callback belongs to `standing` of the file, not to `keyFetch`',
          );
        }
      },
    },
    ...[...shown].flatMap((name) => routeChecks(subject, name)),
  ];
}

function routeChecks<Options>(subject: Subject<Options>, name: string): Check[] {
  const goods = subject.goodCallbacks.filter(({ routeName }) => routeName === name).slice(0, maxPerRoute);
  const check = (title: string, run: (good: GoodCallback<Options>) => Promise<void>, which = rule): Check => ({
    rule: which,
    title: `${name}: ${title}`,
    async run() {
      for (const good of goods) await run(good);
    },
  });
  /** Nothing may be believed that the untouched callback does not say. */
  const believesNothingNew = async (good: GoodCallback<Options>, changed: Iterable<Damaged>, cure: string) => {
    const said = subject.believed(good, await subject.deliver(good));
    for (const { what, raw } of changed) {
      const now = subject.believed(good, await subject.deliver(good, { raw }));
      const news = now.find((fact) => !said.includes(fact));
      demand(news === undefined, `"${good.vector.name}" with ${what} is believed, and says ${news}`, cure);
    }
  };
  const provesNothing = async (good: GoodCallback<Options>, what: string, variation: Variation, cure: string) => {
    const played = await subject.deliver(good, variation);
    const safe = !played || played.genuine !== true || played.events.every(({ mustFetch }) => mustFetch);
    demand(safe, `"${good.vector.name}" is believed with ${what}`, cure);
  };

  return [
    check('believes what is good, the same every time', async (good) => {
      const [first, again] = [await subject.deliver(good), await subject.deliver(good)];
      demand(
        first?.genuine === true || first?.genuine === 'unproven',
        `"${good.vector.name}" is taken as ${first?.genuine}`,
        'run its vectors first',
      );
      const different = differences('events', first.events, again?.events);
      demand(
        different.length === 0,
        `"${good.vector.name}" says something else the second time: ${different.join('; ')}`,
        'name each event by what the message says: no counter, no clock, no random identity',
      );
    }),
    check('believes nothing that a changed byte says', async (good) => {
      await believesNothingNew(
        good,
        damaged(good.raw, good === goods[0] ? 'every byte' : 'a sample'),
        'prove the raw bytes or every member that core believes; what is not covered says `mustFetch`',
      );
    }),
    check('believes nothing new of a callback that lacks a header, a pair or a member', async (good) => {
      await believesNothingNew(
        good,
        withoutParts(good.raw),
        'read missing parts as forged or malformed, with a schema',
      );
    }),
    check(
      'answers bytes of any kind without falling over',
      async (good) => {
        await believesNothingNew(good, foreign(good.raw), 'a message that cannot be read is `malformed`');
      },
      'containment',
    ),
    check('is verified by our secrets and by no other', async (good) => {
      if (subject.routeKit(name).signedByKeyPair) {
        if (subject.file.standing.length === 0) return;
        await provesNothing(
          good,
          "none of the provider's keys to be had",
          { withoutStanding: true },
          'answer `tryLater` where the key cannot be had, and verify with it where it can',
        );
        return;
      }
      const options = changeSecrets(subject, secretPaths(subject.adapter.manifest.options));
      await provesNothing(
        good,
        'other secrets than ours',
        { options },
        'compute the MAC with the secret of the options (a key pair of the provider’s: `signedByKeyPair` in the kit)',
      );
    }),
    check('compares in constant time', async (good) => {
      const options = changeSecrets(subject, secretPaths(subject.adapter.manifest.options));
      const played: (string | boolean | undefined)[] = [];
      const proofs = await countProofs(async () => {
        const result = await subject.deliver(good, { options });
        const safe = result?.events.every(({ mustFetch }) => mustFetch) && result.genuine === true;
        played.push(safe ? 'asks' : result?.genuine);
      });
      if (played[0] === 'asks' || played[0] === 'unproven') return;
      demand(
        proofs > 0,
        `"${good.vector.name}" with a wrong signature was refused by a comparison that takes shorter or longer`,
        'compare with `sameBytes`, `sameText` or `verifyWithAny`, never with `===` or `==`',
      );
    }),
    check('is verified by no empty secret', async (good) => {
      for (const { path, options } of emptied(subject)) {
        const { sign } = subject.routeKit(name);
        const read = subject.tryOptions(options);
        const raw = sign && read !== undefined ? signedOr(good.raw, () => sign(good.raw, read)) : good.raw;
        const before = await subject.deliver(good, { options: changeSecrets(subject, [path]) });
        if (before?.genuine === true) continue;
        await provesNothing(
          good,
          `an empty ${path.join('.')}`,
          { options, raw },
          'refuse empty secrets in the options schema; `hmac` and `verifyWithAny` take none',
        );
      }
    }),
    check('is verified by the previous secret too, while one is in rotation', async (good) => {
      for (const { list, rotated } of await rotations(subject, good)) {
        const played = await subject.deliver(good, { options: rotated });
        demand(
          played?.genuine === true,
          `"${good.vector.name}" is refused once a newer ${list} precedes the one that signed it`,
          'try every secret of the list: `verifyWithAny`',
        );
      }
    }),
    check(
      'is acknowledged under the key that the protocol names',
      async (good) => {
        const { acknowledgedBy } = subject.routeKit(name);
        for (const { alone: only, rotated } of await rotations(subject, good)) {
          const [one, both] = [
            await subject.deliver(good, { options: only }),
            await subject.deliver(good, { options: rotated }),
          ];
          if (one?.genuine !== true || both?.genuine !== true) continue;
          const different = differences('acknowledgement', one.acknowledgement, both.acknowledgement);
          const where = `"${good.vector.name}", verified by the second of two secrets,`;
          if (acknowledgedBy === 'first') {
            demand(
              different.length > 0,
              `${where} is acknowledged under the secret that proved it`,
              'sign the acknowledgement with the first secret of the list',
            );
          } else {
            demand(
              different.length === 0,
              `${where} is acknowledged under another: ${subject.hide(different.join('; '))}`,
              'sign the acknowledgement with the secret that `ctx.verified.key` names; a protocol that wants the first: `acknowledgedBy` in the kit',
            );
          }
        }
      },
      'acknowledgement',
    ),
    check('judges age alike in the past and the future', async (good) => {
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
      const timed = subject.file.callbacks.some(
        ({ route, expect }) => route === good.route.path && expect.genuine === 'stale',
      );
      const asks = past?.events.every(({ mustFetch }) => mustFetch) ?? false;
      demand(
        !timed || asks || past?.genuine !== true,
        `"${good.vector.name}" is believed ten days away`,
        'answer `stale` where the signed time is out of tolerance',
      );
    }),
    check('believes nothing that is meant for another account', async (good) => {
      const { otherAccount } = subject.kit;
      if (!otherAccount || subject.routeKit(name).namesNoAccount) return;
      demand(
        subject.tryOptions({ ...subject.file.options, ...otherAccount }) !== undefined,
        '`otherAccount` of the kit is refused by the options schema',
        'give an account that could be real',
      );
      await provesNothing(
        good,
        'the options of another account',
        { options: otherAccount },
        'compare the account in the message with `options`: another one is forged or gives no event (a route whose messages name none: `namesNoAccount` in the kit)',
      );
    }),
    check(
      'proves the bytes as they came',
      async (good) => {
        const { sign } = subject.routeKit(name);
        const raw = spaced(good.raw);
        if (!sign || !raw) return;
        const said = subject.believed(good, await subject.deliver(good));
        const played = await subject.deliver(good, { raw: sign(raw, subject.readOptions(subject.file.options)) });
        demand(
          JSON.stringify(subject.believed(good, played)) === JSON.stringify(said),
          `"${good.vector.name}", spaced otherwise and signed so, is taken as ${played?.genuine}`,
          'compute the signature over `raw.body`, never over text that was parsed and written again',
        );
      },
      'bytes',
    ),
  ];
}

interface Rotation {
  /** The option that holds the list. */
  readonly list: string;
  /** The one secret that proves the callback, and that secret behind a newer one. */
  readonly alone: Readonly<Record<string, unknown>>;
  readonly rotated: Readonly<Record<string, unknown>>;
}

/** Each list of secrets that proves the callback, as it is before and during a rotation. */
async function rotations<Options>(subject: Subject<Options>, good: GoodCallback<Options>): Promise<Rotation[]> {
  const found: Rotation[] = [];
  for (const path of secretLists(subject)) {
    const changed = await subject.deliver(good, { options: changeSecrets(subject, [path]) });
    if (!changed || changed.genuine === true) continue;
    for (const one of alone(subject, path)) {
      const only = await subject.deliver(good, { options: one.options });
      const rotated = withAdded(subject, path, one.value);
      if (only?.genuine === true && rotated) found.push({ list: path[0]!, alone: one.options, rotated });
    }
  }
  return found;
}

/** Options with one secret, or one list of secrets, emptied. */
function emptied<Options>({ adapter, file }: Subject<Options>) {
  return secretPaths(adapter.manifest.options).flatMap((path) => {
    const [name, ...rest] = path;
    if (name === undefined || rest.length > 1) return [];
    const values: unknown[] = rest[0] === '*' && Array.isArray(file.options[name]) ? [[], ['']] : rest[0] ? [] : [''];
    return values.map((value) => ({ path, options: { ...file.options, [name]: value } }));
  });
}

/** A signer may refuse an empty secret; then the callback comes with the seal that it has. */
function signedOr(raw: RawCallback, sign: () => RawCallback): RawCallback {
  try {
    return sign();
  } catch (error) {
    if (error instanceof RangeError) return raw;
    throw error;
  }
}

/** The same JSON with other spaces; the same pairs need no such thing. */
function spaced(raw: RawCallback): RawCallback | undefined {
  const body = Buffer.from(raw.body).toString();
  if (!isObject(readJson(body))) return undefined;
  return { ...raw, body: Buffer.from(` ${body.replace(/^\{/, '{ ')}\n`) };
}
