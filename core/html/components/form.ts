/**
 * Forms of actions: one button each, confirmation of a dangerous action, and the same form again if the action was
 * refused, with what was typed and the reason.
 */
import { html, type SafeHtml } from '@remix-run/html-template';
import type { FieldError } from '../../base/errors.ts';
import type { Environment } from '../../base/environment.ts';
import { attributes } from '../attributes.ts';
import { escapeHtml } from '../escape-html.ts';
import { capitalise } from '../../base/text/capitalise.ts';

export interface ActionForm {
  /** The address that the form posts to. */
  readonly action: string;
  readonly label: string;
  /** Fields that are shown next to the button. */
  readonly fields?: SafeHtml;
  readonly isDangerous?: boolean;
  /** True for the one action of a page that readers most often want. */
  readonly isMain?: boolean;
  /** True if one of the fields is a file. */
  readonly hasFile?: boolean;
}

/** The session and the page that a form is shown to. */
export interface FormSession {
  /** Belongs to the session; another site cannot know it. */
  readonly formToken: string;
  /** The address of the page. If the action is refused, the form is shown there again. */
  readonly page?: string;
  /** The form that was refused, if this page is the answer to it. */
  readonly refused?: RefusedForm | undefined;
}

export interface RefusedForm {
  readonly action: string;
  readonly values: Readonly<Record<string, string>>;
  readonly message: string;
  /** What is wrong with single fields. Empty: the message is about the whole form. */
  readonly errors: readonly FieldError[];
}

/** The name of the hidden field with the page that a form is on. */
export const pageField = 'onPage';

/** A form with one button. */
export function postForm(session: FormSession, form: ActionForm): SafeHtml {
  const { action, label, fields, isDangerous = false, isMain = false, hasFile = false } = form;
  const { formToken, page, refused } = session;
  const encoding = hasFile ? 'multipart/form-data' : 'application/x-www-form-urlencoded';
  const wasRefused = refused !== undefined && isSameForm(form, refused);
  const shown = wasRefused ? fillIn(fields, refused) : fields;
  const placed = [...String(shown ?? '').matchAll(/aria-invalid/g)].length;
  const isPlaced = placed > 0 && placed === new Set(refused?.errors.map(({ field }) => field)).size;
  return html`<form
    method="post"
    action="${action}"
    enctype="${encoding}"
    class="act"
    ${wasRefused ? refusedMark : null}
  >
    ${hidden({ formToken, [pageField]: page })} ${wasRefused && !isPlaced ? refusalNote(label, refused.message) : null}
    ${shown}
    <button class="${isDangerous ? 'danger' : isMain ? 'main' : ''}">${label}</button>
  </form>`;
}

const refusedMark = html.raw`data-refused`;

/** True if the page shows the refused form again, with the reason. */
export function showsRefusal(body: SafeHtml): boolean {
  return String(body).includes(String(refusedMark));
}

/** The page moves to the note, because its form may be far down the page. */
export function refusalNote(label: string, message: string): SafeHtml {
  return html`<p class="note bad" role="alert" tabindex="-1" autofocus>
    <strong>${label} failed.</strong> ${toSentence(message)}
  </p>`;
}

/** Several rows of a table may post to one address; their hidden fields distinguish them. */
function isSameForm({ action, fields }: ActionForm, refused: RefusedForm): boolean {
  if (action !== refused.action) return false;
  const given = [...String(fields ?? '').matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
  return given.every(([, name = '', value]) => escapeHtml(refused.values[name] ?? '') === value);
}

/**
 * Fills the fields with what was typed, as a browser does when its user goes back, and says next to a field what is
 * wrong with it. Passwords and files are not filled.
 */
function fillIn(fields: SafeHtml | undefined, { values, errors }: RefusedForm): SafeHtml | undefined {
  if (fields === undefined) return undefined;
  const problems = new Map<string, string>();
  for (const { field, message } of errors) {
    const known = problems.get(field);
    problems.set(field, known === undefined ? message : `${known}; ${message}`);
  }
  let isFirst = true;
  /** Marks the control if it is wrong, and adds the reason after it. */
  function withProblem(name: string, control: string): string {
    const problem = problems.get(name);
    if (problem === undefined) return control;
    const mark = ` aria-invalid="true"${isFirst ? ' autofocus' : ''}`;
    isFirst = false;
    return `${control.replace(/^<\w+/, (tag) => `${tag}${mark}`)}<span class="error">${escapeHtml(toSentence(problem))}</span>`;
  }
  const filled = String(fields)
    .replaceAll(/<input\b[^<>]*>/g, (tag) => {
      const [type, name] = [attributeIn(tag, 'type'), attributeIn(tag, 'name')];
      return type === 'hidden' ? tag : withProblem(name, fillInput(tag, type, values[name]));
    })
    .replaceAll(/<select\b[^<>]*>.*?(?:<\/select>|$)/gs, (select) => {
      const name = attributeIn(select, 'name');
      return withProblem(name, chooseOption(select, values[name]));
    })
    .replaceAll(/(<textarea\b[^<>]*>)[^<]*<\/textarea>/g, (whole, start: string) => {
      const name = attributeIn(start, 'name');
      const value = values[name];
      return withProblem(name, value === undefined ? whole : `${start}${escapeHtml(value)}</textarea>`);
    });
  return html.raw`${filled.split(endOfFold).map(openIfWrong).join(endOfFold)}`;
}

const startOfFold = '<details class="fold"';
const endOfFold = '</details>';

/** Opens the fold at the end of this part of a page if a field in the fold is wrong. */
function openIfWrong(part: string): string {
  const at = part.lastIndexOf(startOfFold);
  if (at < 0) return part;
  const inside = part.slice(at + startOfFold.length);
  const isClosed = !inside.startsWith(' open') && inside.includes('aria-invalid');
  return isClosed ? `${part.slice(0, at)}${startOfFold} open${inside}` : part;
}

function fillInput(tag: string, type: string, value: string | undefined): string {
  if (type === 'password' || type === 'file') return tag;
  if (type === 'checkbox' || type === 'radio') {
    const isChosen = value !== undefined && attributeIn(tag, 'value') === escapeHtml(value);
    const plain = tag.replace(/\schecked(?=[\s/>])/, '');
    return isChosen ? plain.replace(/^<input/, '<input checked') : plain;
  }
  if (value === undefined) return tag;
  const written = ` value="${escapeHtml(value)}"`;
  return /\svalue="/.test(tag)
    ? tag.replace(/\svalue="[^"]*"/, () => written)
    : tag.replace(/^<input/, (start) => `${start}${written}`);
}

function chooseOption(select: string, value: string | undefined): string {
  if (value === undefined) return select;
  const wanted = escapeHtml(value);
  return select.replaceAll(/<option\b[^<>]*>/g, (option) => {
    const plain = option.replace(/\sselected(?=[\s>])/, '');
    return attributeIn(option, 'value') === wanted ? plain.replace(/^<option/, '<option selected') : plain;
  });
}

/** The value as it is written in the markup, or empty text. */
function attributeIn(tag: string, name: string): string {
  return new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
}

/** Error messages begin in lower case and have no full stop, because logs and commands continue them. */
export function toSentence(message: string): string {
  const text = capitalise(message);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** What a confirmation asks: `Refund €59.00?`, with a button that is called `Refund`. */
export interface Confirmation {
  /** A question that names the action and its object. It is the title of the page. */
  readonly title: string;
  /** One or two sentences about the effect. */
  readonly text: string;
  /** The label of the button: the verb of the title, and the amount if money moves. */
  readonly label: string;
  /** `details` of what the action is about, such as the sums before and after it. */
  readonly about?: SafeHtml;
  /** The mode of the payment that the action is about. Absent: it is about none. */
  readonly mode?: Environment;
  /** False for an action that loses nothing. Default: true. */
  readonly isDangerous?: boolean;
}

/** Asks for confirmation. The entered values are posted again, with the confirmation. */
export function confirmForm({
  action,
  asked: { text, label, about, isDangerous = true },
  back,
  values,
}: {
  readonly action: string;
  readonly asked: Confirmation;
  readonly back: string;
  readonly values: Readonly<Record<string, string>>;
}): SafeHtml {
  return html`<div class="panel confirm">
    ${about ?? null}
    <p>${text}</p>
    <form method="post" action="${action}" class="acts centred">
      ${hidden({ ...values, sure: 'yes' })}
      <button class="${isDangerous ? 'danger' : 'main'}">${label}</button>
      <a class="button" href="${back}">Back</a>
    </form>
  </div>`;
}

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly value?: string | undefined;
  /** A `password` has no value on a page, also if its form was refused. */
  readonly type?: 'text' | 'search' | 'datetime-local' | 'date' | 'email' | 'url' | 'number' | 'color' | 'password';
  readonly isRequired?: boolean;
  /** Says how to fill the field, below its label. */
  readonly hint?: string;
  readonly placeholder?: string;
  /** For amounts and numbers: phones show digits. */
  readonly inputMode?: 'decimal' | 'numeric';
  /** Values that the browser offers while one types. Any other value is possible. */
  readonly suggestions?: readonly string[];
}

export function textField(field: Field): SafeHtml {
  const { name, label, type = 'text', isRequired = false, hint, placeholder, inputMode, suggestions } = field;
  const isSecret = type === 'password';
  const value = isSecret ? '' : (field.value ?? '');
  const list = suggestions && `list-${name}`;
  const autocomplete = isSecret ? 'new-password' : undefined;
  const more = attributes({ placeholder, inputmode: inputMode, required: isRequired, list, autocomplete });
  const offered =
    suggestions &&
    html`<datalist id="${list}">${suggestions.map((one) => html`<option value="${one}"></option>`)}</datalist>`;
  return html`<label class="field"
      >${labelText(label, hint)}<input type="${type}" name="${name}" value="${value}" ${more} /></label
    >${offered ?? null}`;
}

/** A field for several lines. */
export function textArea({ name, label, value = '', isRequired = false, hint, placeholder }: Field): SafeHtml {
  const more = attributes({ rows: 3, placeholder, required: isRequired });
  return html`<label class="field wide"
    >${labelText(label, hint)}<textarea name="${name}" ${more}>${value}</textarea>
  </label>`;
}

function labelText(label: string, hint: string | undefined): SafeHtml | string {
  return hint === undefined ? label : html`<span>${label} <small class="hint">${hint}</small></span>`;
}

/** A select element. With `any`, as in a search, it also offers no selection under that label. */
export function choice(
  name: string,
  label: string,
  options: readonly string[],
  value: string | undefined,
  {
    any = 'any',
    textOf = toWords,
    hint,
  }: {
    readonly any?: string | false;
    readonly textOf?: (option: string) => string;
    readonly hint?: string;
  } = {},
): SafeHtml {
  return html`<label class="field"
    >${labelText(label, hint)}<select name="${name}">
      ${any === false ? null : html`<option value="">${any}</option>`}
      ${options.map((one) =>
        one === value
          ? html`<option value="${one}" selected>${textOf(one)}</option>`
          : html`<option value="${one}">${textOf(one)}</option>`,
      )}
    </select></label
  >`;
}

/** A box to tick. Its value is `yes`. */
export function checkBox(name: string, label: string, isChecked = false): SafeHtml {
  const more = attributes({ checked: isChecked });
  return html`<label class="check"><input type="checkbox" name="${name}" value="yes" ${more} /> ${label}</label>`;
}

/** Several boxes under one heading. Each has a name of its own and the value `yes`. */
export function checkBoxes(
  legend: string,
  boxes: readonly { readonly name: string; readonly label: string; readonly isChecked?: boolean }[],
): SafeHtml {
  return html`<fieldset class="boxes">
    <legend>${legend}</legend>
    ${boxes.map(({ name, label, isChecked }) => checkBox(name, label, isChecked))}
  </fieldset>`;
}

export function toWords(state: string): string {
  return state.replaceAll('_', ' ');
}

/** Hidden values that are posted together with the fields next to a button. */
export function hidden(values: Readonly<Record<string, string | undefined>>): SafeHtml {
  const given = Object.entries(values).flatMap(([name, value]) => (value ? [[name, value] as const] : []));
  return html`${given.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}`;
}
