/** Helps while a field is typed in, and shows problems next to the field. The page provides the texts. */

type PayField = HTMLInputElement | HTMLSelectElement;

function fieldsOf(form: HTMLFormElement): PayField[] {
  return [...form.querySelectorAll<PayField>('.field input, .field select')];
}

/** The page's language, for the names of months. */
function pageLanguage(): string {
  return document.documentElement.lang || 'en';
}

/** A postal code or state is required only in countries whose addresses have one. */
function isRequired(field: PayField): boolean {
  const part = field.dataset['byCountry'];
  if (part !== 'postalCode' && part !== 'state') return field.required;
  const country = countryOf(field);
  return country === '' ? part === 'postalCode' : isRequiredIn(country, part);
}

/** The country that the payer chose; empty if none. */
function countryOf({ form }: PayField): string {
  return toCountry(form?.querySelector<HTMLSelectElement>('[name=country]')?.value ?? '');
}

/** Names the address fields as their country does, and hides those that its addresses do not have. */
function showAddressOf(form: HTMLFormElement): void {
  for (const field of form.querySelectorAll<PayField>('[data-by-country]')) {
    const country = countryOf(field);
    const part = field.dataset['byCountry'] === 'state' ? 'state' : 'postalCode';
    const place = field.closest<HTMLElement>('.field');
    const label = place?.querySelector('label');
    if (!place || !label) continue;
    const labels = JSON.parse(field.dataset['labels'] ?? '{}') as Record<string, string>;
    label.textContent = labels[country] ?? labels[''] ?? label.textContent;
    place.hidden = country === '' ? part === 'state' : !existsIn(country, part);
    // A value that the payer cannot see any more is not sent.
    field.disabled = place.hidden;
    if (field.getAttribute('aria-invalid') === 'true') showProblem(field, problemOf(field));
  }
}

/** The problem with the value of a field, as text. Undefined if there is none. */
function problemOf(field: PayField): string | undefined {
  const { missing, wrong, expired } = field.dataset;
  if (isBlank(field.value)) return isRequired(field) ? missing : undefined;
  const problem = formProblem(field, field.value.trim());
  return problem === 'expired' ? expired : problem && wrong;
}

function formProblem(field: PayField, value: string): FieldProblem {
  switch (field.name) {
    case 'number':
      return numberProblem(digitsOf(value));
    case 'expiration':
      return expirationProblem(value, new Date(), pageLanguage());
    case 'cvv':
      return cvvProblem(value);
    case 'upiId':
      return /^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+$/.test(readCode(value)) ? undefined : 'wrong';
    case 'email':
      return isEmail(value) ? lengthProblem(field, value) : 'wrong';
    case 'phoneNumber':
      return lengthProblem(field, readPhone(value));
    default:
      return lengthProblem(field, value);
  }
}

/** The bounds count characters as the server does. `maxlength` would cut what is pasted. */
function lengthProblem({ dataset }: PayField, value: string): FieldProblem {
  const { length } = Array.from(value);
  const fits = length >= Number(dataset['min'] ?? 0) && length <= Number(dataset['max'] ?? Infinity);
  return fits ? undefined : 'wrong';
}

/** Shows the problem next to the field, so that screen readers announce it with the field. */
function showProblem(field: PayField, problem: string | undefined): void {
  const id = `${field.id}-error`;
  const shown = document.getElementById(id);
  const others = (field.getAttribute('aria-describedby') ?? '').split(' ').filter((one) => one !== '' && one !== id);
  if (problem === undefined) {
    shown?.remove();
    field.removeAttribute('aria-invalid');
    describeBy(field, others);
    return;
  }
  const text = shown ?? document.createElement('p');
  text.id = id;
  text.className = 'error';
  text.textContent = problem;
  if (!shown) field.closest('.field')?.append(text);
  field.setAttribute('aria-invalid', 'true');
  describeBy(field, [...others, id]);
}

function describeBy(field: PayField, ids: readonly string[]): void {
  if (ids.length > 0) field.setAttribute('aria-describedby', ids.join(' '));
  else field.removeAttribute('aria-describedby');
}

/** Reformats the typed text. The caret stays behind the same digit. */
function rewrite(field: HTMLInputElement, value: string): void {
  if (field.value === value) return;
  const before = digitsOf(field.value.slice(0, field.selectionStart ?? 0)).length;
  const isAtEnd = field.selectionStart === field.value.length;
  field.value = value;
  let at = 0;
  for (let digits = 0; at < value.length && digits < before; at += 1) if (/\d/.test(value[at] ?? '')) digits += 1;
  const caret = isAtEnd ? value.length : at;
  if (document.activeElement === field) field.setSelectionRange(caret, caret);
}

/** Names the brand of the number, and marks it among the accepted ones. */
function showBrand(field: HTMLInputElement, { name }: ShownBrand): void {
  const place = field.closest('.field');
  const shown = place?.querySelector('[data-brand]');
  if (shown) shown.textContent = name;
  const accepted = [...(place?.querySelectorAll<HTMLElement>('[data-accepted]') ?? [])];
  const isAccepted = accepted.some(({ dataset }) => dataset['accepted'] === name);
  for (const one of accepted) one.classList.toggle('other', isAccepted && one.dataset['accepted'] !== name);
}

const LONGEST_CODE = 4;

/** Shows what is sent: digits 0–9, whichever keyboard typed them. Only a security code is cut off at its length. */
function helpTyping(field: PayField, event: Event): void {
  if (!(field instanceof HTMLInputElement)) return;
  // An input method still converts the text.
  if (event instanceof InputEvent && event.isComposing) return;
  const isTakingAway = event instanceof InputEvent && event.inputType.startsWith('delete');
  switch (field.name) {
    case 'number': {
      const digits = digitsOf(field.value);
      const brand = brandOf(digits);
      rewrite(field, groupDigits(digits, brand.groups));
      showBrand(field, brand);
      if (digits.length >= brand.longest) showProblem(field, problemOf(field));
      return;
    }
    case 'expiration':
      rewrite(field, writeExpiration(field.value, isTakingAway, pageLanguage()));
      if (field.value.length === 5) showProblem(field, problemOf(field));
      return;
    case 'cvv':
      return rewrite(field, digitsOf(field.value).slice(0, LONGEST_CODE));
    case 'code':
    case 'phoneNumber':
    case 'postalCode':
    case 'upiId':
      return rewriteDigits(field);
  }
}

/** One digit replaces one digit, so the caret stays where it is. */
function rewriteDigits(field: HTMLInputElement): void {
  const value = toAsciiDigits(field.value);
  if (field.value === value) return;
  const caret = toAsciiDigits(field.value.slice(0, field.selectionStart ?? 0)).length;
  field.value = value;
  if (document.activeElement === field) field.setSelectionRange(caret, caret);
}

/** What can be said only when the whole text is there. */
function finishTyping(field: PayField, event: Event): void {
  helpTyping(field, event);
  const expiry = field.name === 'expiration' ? readExpiry(field.value, pageLanguage()) : undefined;
  if (expiry) field.value = writeExpiry(expiry);
  // A problem moves the button away from the pointer that presses it. The button checks the whole form anyway.
  if (!field.form?.querySelector('button:active')) showProblem(field, problemOf(field));
  if (field.name === 'country' && field.form) showAddressOf(field.form);
}

function helpForm(form: HTMLFormElement): void {
  form.noValidate = true;
  showAddressOf(form);
  form.addEventListener('click', focusNamedField);
  for (const field of fieldsOf(form)) {
    field.addEventListener('input', (event) => {
      helpTyping(field, event);
      if (field.getAttribute('aria-invalid') === 'true') showProblem(field, problemOf(field));
    });
    field.addEventListener('change', (event) => finishTyping(field, event));
  }
}

/** Says at the top of the form that something is wrong. A short list has a link to each field. */
function showSummary(form: HTMLFormElement, wrong: readonly PayField[]): void {
  form.querySelector('[data-summary]')?.remove();
  if (wrong.length === 0) return;
  const [summary, title, list] = [
    document.createElement('div'),
    document.createElement('p'),
    document.createElement('ul'),
  ];
  summary.className = 'alert';
  summary.dataset['summary'] = '';
  summary.setAttribute('role', 'alert');
  const { some = '', many = '', list: most } = form.dataset;
  const isLong = wrong.length > Number(most);
  title.textContent = isLong ? many : some;
  const texts = document.createElement('div');
  texts.append(title);
  if (!isLong) {
    list.append(...wrong.map(linkToField));
    texts.append(list);
  }
  summary.append(texts);
  form.prepend(summary);
}

function linkToField(field: PayField): HTMLElement {
  const [item, link] = [document.createElement('li'), document.createElement('a')];
  link.href = `#${field.id}`;
  link.textContent = problemOf(field) ?? '';
  item.append(link);
  return item;
}

/** A link to a field moves the focus only, so that the address of the page stays the same. */
function focusNamedField(event: Event): void {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('[data-summary] a') : null;
  const field = link && document.getElementById(link.hash.slice(1));
  if (!field) return;
  event.preventDefault();
  const closed = field.closest('details');
  if (closed) closed.open = true;
  field.focus();
}

/** Returns false if a field is wrong, and moves the focus to the first such field. */
function checkForm(form: HTMLFormElement): boolean {
  const fields = fieldsOf(form).filter(({ disabled }) => !disabled);
  for (const field of fields) showProblem(field, problemOf(field));
  const wrong = fields.filter((field) => field.getAttribute('aria-invalid') === 'true');
  showSummary(form, wrong);
  const [first] = wrong;
  const closed = first?.closest('details');
  if (closed) closed.open = true;
  first?.focus();
  return first === undefined;
}
