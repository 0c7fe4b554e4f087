/** Checks for `paywright doctor` whether the key and its profile can accept payments. */
import {
  defined,
  filled,
  isLoopback,
  readJsonBody,
  urlPath,
  v,
  type Ability,
  type AccountFinding,
} from '@paywright/contract';
import { modeOf, type Context, type Options } from './options.ts';
import { errors, get } from './wire.ts';

export const checkAccount: Ability<'checkAccount', Options> = async (ctx) => {
  const key = checkMode(ctx);
  if (!key.ok) return [key];
  const profile = await checkProfile(ctx);
  if (!profile.ok) return [key, profile];
  return [key, profile, ...(await checkMethods(ctx)), ...checkAddress(ctx)];
};

function checkMode({ options, sandbox }: Context): AccountFinding {
  const [have, need] = [modeOf(options), sandbox ? 'test' : 'live'];
  const finding = `apiKey is a ${have} key`;
  if (have === need) return { ok: true, finding };
  const cure = need === 'test' ? 'set sandboxOptions.apiKey to test_…' : 'set apiKey to live_…';
  return { ok: false, finding: `${finding}, but this is the ${need} side`, cure };
}

const Profile = v.object({
  id: v.optional(filled),
  mode: v.string(),
  status: v.picklist(['verified', 'unverified', 'blocked']),
});

async function checkProfile({ http, options }: Context): Promise<AccountFinding> {
  const reply = await http.send(get(options, '/v2/profiles/me'));
  const profile = reply.status === 200 ? readJsonBody(Profile, reply) : undefined;
  if (!profile) return { ok: false, finding: errors.read(reply).named, cure: 'check apiKey' };
  const { id: accountId, status } = profile;
  const isFit = status === 'verified' || (status === 'unverified' && modeOf(options) === 'test');
  if (isFit) return { ok: true, finding: 'the profile can accept payments', ...defined({ accountId }) };
  const cure = 'open the profile in the Mollie Web app and complete what it asks for';
  return { ok: false, finding: `the profile is ${status}: Mollie accepts no such payments for it`, cure };
}

const Methods = v.object({ _embedded: v.object({ methods: v.array(v.object({ id: v.string() })) }) });

/** 404: the profile cannot have the method. 403: the method is not enabled. */
async function checkMethods({ http, options }: Context): Promise<readonly AccountFinding[]> {
  const cure = 'enable one in the Mollie Web app, Payment methods';
  if (!options.methods) {
    const reply = await http.send(get(options, '/v2/methods'));
    const methods = reply.status === 200 ? readJsonBody(Methods, reply)?._embedded.methods : undefined;
    if (!methods) return [{ ok: false, finding: errors.read(reply).named, cure: 'ask again' }];
    const names = methods.map(({ id }) => id);
    if (names.length === 0) return [{ ok: false, finding: 'no enabled payment method accepts euros', cure }];
    const offered = { ok: true, finding: `for euros the page offers ${names.join(', ')}` };
    return [offered, ...(names.includes('creditcard') ? await walletFindings({ http, options }) : [])];
  }
  const findings: AccountFinding[] = [];
  for (const method of options.methods) {
    const reply = await http.send(get(options, urlPath`/v2/methods/${method}`));
    const finding = reply.status === 200 ? `${method} is enabled` : `${method} is not enabled (${reply.status})`;
    findings.push(reply.status === 200 ? { ok: true, finding } : { ok: false, finding, cure });
  }
  if (!options.methods.includes('creditcard')) return findings;
  if (options.methods.includes('applepay')) return [...findings, googlePay];
  const missing = {
    ok: true,
    finding: 'methods does not name applepay',
    cure: 'to offer Apple Pay, add it to methods',
  };
  return [...findings, googlePay, missing];
}

const googlePay = { ok: true, finding: 'the page offers Google Pay with cards, on devices that have it' };

/** Mollie lists no wallet among the methods. It shows Google Pay wherever cards are enabled. */
async function walletFindings({
  http,
  options,
}: Pick<Context, 'http' | 'options'>): Promise<readonly AccountFinding[]> {
  const reply = await http.send(get(options, '/v2/methods/applepay'));
  if (reply.status === 200) return [googlePay, { ok: true, finding: 'the page offers Apple Pay' }];
  const cure = 'to offer it, enable it in the Mollie Web app, Payment methods';
  return [googlePay, { ok: true, finding: `Apple Pay is not enabled (${reply.status})`, cure }];
}

/** Mollie refuses a payment whose webhook it cannot reach. */
function checkAddress({ baseUrl, publicUrl }: Context): readonly AccountFinding[] {
  const isSandbox = isLoopback(new URL(baseUrl).hostname);
  if (isSandbox || !isLoopback(new URL(publicUrl).hostname)) return [];
  const cure = 'set PUBLIC_URL to a public internet address; in development, to a tunnel to this machine';
  return [{ ok: false, finding: `Mollie cannot reach ${publicUrl}`, cure }];
}
