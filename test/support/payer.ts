/** The payer's browser, as far as a payment needs it: follows an action, presses a button, submits a returned form. */

type Fields = Readonly<Record<string, string>>;

export interface Redirect {
  readonly type: 'redirect';
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly fields?: Fields;
  readonly transactionId?: string;
}

/** The form with which a page of the issuer, or a hosted page, sends the browser back. */
export interface Back {
  readonly action: string;
  readonly fields: Fields;
}

export async function postForm(url: string, fields: Fields = {}, accept = 'text/html'): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { Accept: accept, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields),
  });
}

/** Opens the action's target, and follows the provider's own redirects. */
export async function openAction({ method, url, fields }: Redirect, accept = 'text/html'): Promise<Response> {
  const reply = method === 'GET' ? await fetch(url, { redirect: 'manual' }) : await postForm(url, fields, accept);
  const location = reply.headers.get('location');
  return location === null ? reply : fetch(new URL(location, url), { redirect: 'manual' });
}

const attribute = (tag: string, name: string): string | undefined => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1];

/** Presses a button of the page's only form. */
export async function press(page: Response, name: string, value: string, more: Fields = {}): Promise<Response> {
  const html = await page.text();
  const [form = ''] = /<form[^>]*>/.exec(html) ?? [];
  const hidden = [...html.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([tag]) => [
    attribute(tag, 'name') ?? '',
    attribute(tag, 'value') ?? '',
  ]);
  const target = new URL(attribute(form, 'action') ?? '', page.url);
  return postForm(target.href, { ...Object.fromEntries(hidden), ...more, [name]: value }, 'application/json');
}

/** Submits the form that a page gave the browser. */
export async function submitForm(page: Response): Promise<Response> {
  const { action, fields } = (await page.json()) as Back;
  return postForm(action, fields);
}

/** Completes a challenge at an issuer that posts back to the gateway. */
export async function completeChallenge(action: Redirect, choice: 'pass' | 'fail'): Promise<Response> {
  return submitForm(await press(await openAction(action), 'choice', choice));
}
