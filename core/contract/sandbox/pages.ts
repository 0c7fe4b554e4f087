/** The pages that a sandbox shows to payers: plain forms, everything escaped, no outside resource. */
import { headerValues } from '../callback.ts';
import { htmlReply, jsonReply, type Reply } from './reply.ts';
import type { SandboxRequest } from './router.ts';

type Fields = Readonly<Record<string, string>>;

export interface ChoicePage {
  readonly title: string;
  /** Address that the form posts to. */
  readonly action: string;
  /** Each choice is a submit button of this name and one of these values. */
  readonly name: string;
  readonly values: readonly string[];
  readonly hidden?: Fields;
  /** Text inputs by name, with the values they begin with. */
  readonly inputs?: Fields;
  /** A sentence above the form. */
  readonly text?: string;
}

/** A page with one form, `method="post"`, and a submit button for each choice. */
export function choicePage({ title, action, name, values, hidden = {}, inputs = {}, text }: ChoicePage): Reply {
  const typed = Object.entries(inputs).map(
    ([input, value]) =>
      `<p><label>${escapeHtml(input)} <input name="${escapeHtml(input)}" value="${escapeHtml(value)}"></label></p>`,
  );
  const buttons = values.map(
    (value) =>
      `<button type="submit" name="${escapeHtml(name)}" value="${escapeHtml(value)}">${escapeHtml(value)}</button>`,
  );
  return htmlReply(
    200,
    shell(
      title,
      `${text === undefined ? '' : `<p>${escapeHtml(text)}</p>\n`}<form method="post" action="${escapeHtml(action)}">
${[...hiddenInputs(hidden), ...typed, `<p>${buttons.join('\n')}</p>`].join('\n')}
</form>`,
    ),
  );
}

/**
 * The form that brings the payer's browser back to the gateway by POST: `id="return"`, posted by itself. To a caller
 * that accepts `application/json` it is `{ "method", "action", "fields" }`.
 */
export function returnForm(request: SandboxRequest, action: string, fields: Fields): Reply {
  if (headerValues(request, 'accept').some((value) => value.toLowerCase().includes('application/json'))) {
    return jsonReply(200, { method: 'POST', action, fields });
  }
  return htmlReply(
    200,
    shell(
      'Back to the shop',
      `<form id="return" method="post" action="${escapeHtml(action)}">
${[...hiddenInputs(fields), '<p><button type="submit">Continue</button></p>'].join('\n')}
</form>
<script>document.getElementById('return').submit();</script>`,
    ),
  );
}

/** A short page without a form. */
export function messagePage(status: number, text: string): Reply {
  return htmlReply(status, shell(text, `<p>${escapeHtml(text)}</p>`));
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function hiddenInputs(fields: Fields): string[] {
  return Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
}

function shell(title: string, inside: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title></head>
<body>
<h1>${escapeHtml(title)}</h1>
${inside}
</body>
</html>
`;
}
