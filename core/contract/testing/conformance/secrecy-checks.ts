/** Checks that these are never reported: secrets of the options, card numbers, CVVs, tokens. */
import type { Outcome } from '../../outcome.ts';
import type { HttpReply } from '../../provider.ts';
import type { Submission } from '../../payment.ts';
import { hideAll, secretsIn } from '../difference.ts';
import { noAnswer, reply } from '../scripted-provider.ts';
import { demand, type Check } from './kit.ts';
import { damagedVariants } from './damage.ts';
import { goodScript, scriptAt } from './scripts.ts';
import type { Subject } from './subject.ts';
import { observeWork } from './watch.ts';

const rule = 'secrecy';
/** Rare enough not to be part of an id. */
const rareCvv = '7391';

export function secrecyChecks<Options>(subject: Subject<Options>): Check[] {
  const secrets = secretsIn(subject.adapter, subject.file.options).filter((secret) => secret.length >= 4);

  return [
    {
      rule,
      title: 'reports no secret, card number, CVV or token in an address, a reason or printed text',
      async run() {
        for (const sample of subject.goodSubmissions.slice(0, 6)) {
          const { vector } = sample;
          const replies: readonly (HttpReply | null)[] = [reply(401, '{}'), reply(500, '{}'), reply(200, 'x'), null];
          const bad = [...vector.exchanges.keys()].flatMap((step) =>
            replies.map((answer) => scriptAt(vector, step, () => answer ?? noAnswer())),
          );
          for (const script of [goodScript(vector), ...bad]) {
            const reported: string[] = [];
            const payer: string[] = [];
            const { printed } = await observeWork(async () => {
              const submission = (base: Submission): Submission => {
                const marked = base.card ? { ...base, card: { ...base.card, cvv: rareCvv } } : base;
                payer.push(...payerSecrets(marked));
                return marked;
              };
              const { outcome, requests } = await subject.submit(sample, script, { submission });
              reported.push(...requests.map(({ path }) => path), visibleFactsOf(outcome));
            });
            demandNoSecret([...reported, printed], [...secrets, ...payer], 'a submission');
          }
        }
      },
    },
    {
      rule,
      title: 'reports no secret in a verdict, an acknowledgement or printed text',
      async run() {
        const options = subject.readOptions(subject.file.options);
        for (const good of subject.goodCallbacks) {
          const ctx = subject.quietContext(options, good.now);
          const some = [...damagedVariants(good.raw)].filter((_, at, all) => at % Math.ceil(all.length / 24) === 0);
          for (const { raw } of [{ raw: good.raw }, ...some]) {
            const reported: string[] = [];
            const { printed } = await observeWork(async () => {
              const verdict = await good.route.verifySignature(raw, ctx);
              if ('reason' in verdict) reported.push(verdict.reason);
              const played = await subject.deliver(good, { raw });
              reported.push(JSON.stringify(played?.acknowledgement ?? null));
            });
            demandNoSecret([...reported, printed], secrets, `a callback to ${good.routeName}`);
          }
        }
      },
    },
  ];
}

/** The part of an outcome that core stores, logs or shows. */
function visibleFactsOf(outcome: Outcome): string {
  return JSON.stringify(outcome);
}

function payerSecrets({ card, token }: Submission): string[] {
  return [card?.number, card?.cvv, token].filter((value) => value !== undefined);
}

function demandNoSecret(reported: readonly string[], secrets: readonly string[], where: string): void {
  const text = reported.join('\n');
  demand(
    hideAll(secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]))(text) === text,
    `${where} reports a secret or the payer’s card number, CVV or token`,
    'send them in headers or body only; a reason names what is wrong, never the value; print nothing',
  );
}
