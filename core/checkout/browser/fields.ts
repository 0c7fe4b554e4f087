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
  const country = field.form?.querySelector<HTMLSelectElement>('[name=country]')?.value ?? '';
  return country === '' || isRequiredIn(toCountry(country), part);
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

function showBrand(field: HTMLInputElement, { name }: ShownBrand): void {
  const shown = field.closest('.field')?.querySelector('[data-brand]');
  if (shown) shown.textContent = name;
}

/** Shows what is sent: digits 0–9, whichever keyboard typed them. Nothing that was typed is cut off. */
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
      return rewrite(field, digitsOf(field.value));
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
  showProblem(field, problemOf(field));
  if (field.name === 'country') withdrawProblems(field.form);
}

/** Another country may not require what the payer was asked for. */
function withdrawProblems(form: HTMLFormElement | null): void {
  for (const field of form?.querySelectorAll<PayField>('[data-by-country][aria-invalid=true]') ?? [])
    showProblem(field, problemOf(field));
}

function helpForm(form: HTMLFormElement): void {
  form.noValidate = true;
  for (const field of fieldsOf(form)) {
    field.addEventListener('input', (event) => {
      helpTyping(field, event);
      if (field.getAttribute('aria-invalid') === 'true') showProblem(field, problemOf(field));
    });
    field.addEventListener('change', (event) => finishTyping(field, event));
  }
}

/** Returns false if a field is wrong, and moves the focus to the first such field. */
function checkForm(form: HTMLFormElement): boolean {
  const fields = fieldsOf(form);
  for (const field of fields) showProblem(field, problemOf(field));
  const first = fields.find((field) => field.getAttribute('aria-invalid') === 'true');
  const closed = first?.closest('details');
  if (closed) closed.open = true;
  first?.focus();
  return first === undefined;
}
