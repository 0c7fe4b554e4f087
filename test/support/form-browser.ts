/** A browser for pages without script: it keeps its cookies and presses buttons of forms. */
export interface Page {
  readonly status: number;
  readonly location: string | null;
  readonly headers: Headers;
  readonly text: string;
}

export class FormBrowser {
  readonly #cookies = new Map<string, string>();
  readonly #base: string;

  constructor(base: string) {
    this.#base = base;
  }

  /** The `Cookie` header. */
  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  set cookie(header: string) {
    this.#cookies.clear();
    for (const [, name = '', value = ''] of header.matchAll(/([^=;\s]+)=([^;]*)/g)) this.#cookies.set(name, value);
  }

  async get(path: string): Promise<Page> {
    return this.#call(path, {});
  }

  async post(path: string, fields: Readonly<Record<string, string>>): Promise<Page> {
    return this.#call(path, { method: 'POST', body: new URLSearchParams(fields) });
  }

  /** Presses the button of the form that posts to `action`: the first such form that contains `near`. */
  async press(page: Page, action: string, fields: Readonly<Record<string, string>> = {}, near = ''): Promise<Page> {
    return this.post(action, { ...hiddenFieldsOf(page, action, near), ...fields });
  }

  async #call(path: string, init: RequestInit): Promise<Page> {
    const response = await fetch(`${this.#base}${path}`, {
      redirect: 'manual',
      ...init,
      headers: { Cookie: this.cookie },
    });
    const { status, headers } = response;
    for (const cookie of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return { status, headers, location: headers.get('location'), text: await response.text() };
  }
}

/** The hidden fields of the form. Throws if the page has no such form. */
export function hiddenFieldsOf({ text }: Pick<Page, 'text'>, action: string, near = ''): Record<string, string> {
  const form = text
    .split('<form')
    .map((one) => one.split('</form>')[0] ?? '')
    .find((one) => one.includes(`action="${action}"`) && one.includes(near));
  if (form === undefined) throw new Error(`the page has no form to ${action}`);
  const hidden = [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  return Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value]));
}
