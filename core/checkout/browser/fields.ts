/** Helps while a field is typed in, and shows problems next to the field. The page provides the texts. */

type PayField = HTMLInputElement | HTMLSelectElement;

function fieldsOf(form: HTMLFormElement): PayField[] {
  return [...form.querySelectorAll<PayField>('.field input, .field select')];
}

function cardBrandOf(form: HTMLFormElement | null): CardBrand {
  const number = form?.querySelector<HTMLInputElement>('[name=number]');
  if (!number) return anyBrand;
  return brandOf(digitsOf(number.value), JSON.parse(number.dataset['brands'] ?? '[]') as CardBrand[]);
}

/** The problem with the value of a field, as text. Undefined if there is none. */
function problemOf(field: PayField): string | undefined {
  const value = field.value.trim();
  const { missing, wrong, expired } = field.dataset;
  if (value === '') return field.required ? missing : undefined;
  const problem = formProblem(field, value);
  return problem === 'expired' ? expired : problem && wrong;
}

function formProblem(field: PayField, value: string): FieldProblem {
  switch (field.name) {
    case 'number':
      return numberProblem(digitsOf(value), cardBrandOf(field.form));
    case 'expiration':
      return expirationProblem(value, new Date());
    case 'cvv':
      return cvvProblem(value, cardBrandOf(field.form));
    case 'upiId':
      return /^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+$/.test(value) ? undefined : 'wrong';
    default:
      return field.validity.valid ? undefined : 'wrong';
  }
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
  const before = field.value.slice(0, field.selectionStart ?? 0).replace(/\D/g, '').length;
  const isAtEnd = field.selectionStart === field.value.length;
  field.value = value;
  let at = 0;
  for (let digits = 0; at < value.length && digits < before; at += 1) if (/\d/.test(value[at] ?? '')) digits += 1;
  const caret = isAtEnd ? value.length : at;
  if (document.activeElement === field) field.setSelectionRange(caret, caret);
}

function showBrand(field: HTMLInputElement, { name }: CardBrand): void {
  const shown = field.closest('.field')?.querySelector('[data-brand]');
  if (shown) shown.textContent = name;
}

function helpTyping(field: PayField, event: Event): void {
  if (!(field instanceof HTMLInputElement)) return;
  const isTakingAway = event instanceof InputEvent && event.inputType.startsWith('delete');
  if (field.name === 'number') {
    const digits = digitsOf(field.value);
    const brand = cardBrandOf(field.form);
    rewrite(field, groupDigits(digits, brand.groups));
    showBrand(field, brand);
    if (isFullNumber(digits, brand)) showProblem(field, problemOf(field));
  } else if (field.name === 'expiration') {
    rewrite(field, writeExpiration(field.value, isTakingAway));
    if (field.value.length === 5) showProblem(field, problemOf(field));
  } else if (field.name === 'cvv') {
    rewrite(field, field.value.replace(/\D/g, '').slice(0, 4));
  }
}

function helpForm(form: HTMLFormElement): void {
  form.noValidate = true;
  for (const field of fieldsOf(form)) {
    field.addEventListener('input', (event) => {
      helpTyping(field, event);
      if (field.getAttribute('aria-invalid') === 'true') showProblem(field, problemOf(field));
    });
    field.addEventListener('change', () => showProblem(field, problemOf(field)));
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
