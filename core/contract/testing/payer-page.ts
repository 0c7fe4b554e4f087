/** The payer's browser in tests of a sandbox: finds the page that a payment leads to, and presses its buttons. */
import type { Action, Outcome } from '../outcome.ts';
import { formType } from '../read/form-message.ts';
import { sendRequest, type CallbackReply, type CallbackRequest } from '../sandbox/index.ts';

/** How long a page may take to answer. */
const timeoutMs = 5_000;
/** The most pages of one visit. */
const maxPages = 10;

/** The action that a submission leaves to the payer. */
export function actionOf(outcome: Outcome): Action | undefined {
  return outcome.outcome === 'pending' ? outcome.action : undefined;
}

/** Submits a form to the page that the action leads to, as the browser does when the payer presses a button. */
export async function pressButton(
  action: Action | undefined,
  fields: Readonly<Record<string, string>>,
): Promise<CallbackReply> {
  if (action?.type !== 'redirect') throw new TypeError('the action leads to no page');
  return browse(post(action.url, fields));
}

/**
 * Visits the page that the action leads to as the payer's browser does: opens it, presses the button with this value,
 * and follows redirects and the form that brings the payer back (`returnForm`), until a page waits again. Returns that
 * page. A round trip notes each visit of the gateway in `returns`.
 */
export async function visitPage(action: Action | undefined, button: string): Promise<CallbackReply> {
  if (action?.type !== 'redirect') throw new TypeError('the action leads to no page');
  const { method, url, fields = {} } = action;
  const opened = await follow(method === 'POST' ? post(url, fields) : { method, url });
  const form = readForm(textOf(opened.reply));
  const pressed = form?.buttons.find(([, value]) => value === button);
  if (!form || !pressed) throw new Error(`the page at ${opened.url} has no button with the value ${button}`);
  const filled = Object.fromEntries([...form.inputs, pressed]);
  return (await follow(post(new URL(form.action, opened.url).href, filled))).reply;
}

interface Page {
  readonly url: string;
  readonly reply: CallbackReply;
}

/** Follows redirects, and the form that a script of its page submits. */
async function follow(request: CallbackRequest): Promise<Page> {
  let next = request;
  for (let pages = 1; ; pages += 1) {
    const reply = await browse(next);
    const page = { url: next.url, reply };
    const onward = onwardOf(page);
    if (!onward) return page;
    if (pages === maxPages) throw new Error(`the pages after ${request.url} lead on without an end`);
    next = onward;
  }
}

function onwardOf({ url, reply }: Page): CallbackRequest | undefined {
  const location = reply.headers.find(([name]) => name.toLowerCase() === 'location')?.[1];
  const isRedirect = reply.status >= 300 && reply.status < 400;
  if (isRedirect && location !== undefined) return { method: 'GET', url: new URL(location, url).href };
  const form = readForm(textOf(reply));
  if (form?.id !== 'return') return undefined;
  return post(new URL(form.action, url).href, Object.fromEntries(form.inputs));
}

function post(url: string, fields: Readonly<Record<string, string>>): CallbackRequest {
  const body = new URLSearchParams(fields).toString();
  return { method: 'POST', url, headers: { 'Content-Type': formType, Accept: 'text/html' }, body };
}

function browse(request: CallbackRequest): Promise<CallbackReply> {
  return sendRequest(request, timeoutMs);
}

function textOf({ body }: CallbackReply): string {
  return Buffer.from(body).toString();
}

type Pair = readonly [name: string, value: string];

interface Form {
  readonly id: string;
  readonly action: string;
  readonly inputs: readonly Pair[];
  readonly buttons: readonly Pair[];
}

/** The first form of a page that a sandbox wrote. */
function readForm(page: string): Form | undefined {
  const tags = [...page.matchAll(/<(form|input|button)\s([^<>]*)>/gi)].map(([, name = '', attributes = '']) => ({
    name: name.toLowerCase(),
    attributes: readAttributes(attributes),
  }));
  const form = tags.find(({ name }) => name === 'form')?.attributes;
  if (!form) return undefined;
  const isButton = ({ name, attributes }: (typeof tags)[number]): boolean =>
    name === 'button' || attributes.get('type') === 'submit';
  const fields = tags.filter(({ name, attributes }) => name !== 'form' && attributes.has('name'));
  const toPair = ({ attributes }: (typeof tags)[number]): Pair => [
    attributes.get('name') ?? '',
    attributes.get('value') ?? '',
  ];
  return {
    id: form.get('id') ?? '',
    action: form.get('action') ?? '',
    inputs: fields.filter((field) => !isButton(field)).map(toPair),
    buttons: fields.filter(isButton).map(toPair),
  };
}

/** The attributes with a quoted value. Between two values there is the name of the next attribute, and `=`. */
function readAttributes(text: string): ReadonlyMap<string, string> {
  const parts = text.split('"');
  const pairs = parts.flatMap((value, at) => {
    const before = at % 2 === 1 ? parts[at - 1]! : '';
    const name = before.endsWith('=') ? before.slice(0, -1).split(/\s/).at(-1)! : '';
    return name === '' ? [] : [[name.toLowerCase(), toPlainText(value)] as const];
  });
  return new Map(pairs);
}

const characters: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'" };

function toPlainText(escaped: string): string {
  return escaped.replaceAll(/&([a-z0-9#]{2,5});/gi, (whole, name: string) => characters[name.toLowerCase()] ?? whole);
}
