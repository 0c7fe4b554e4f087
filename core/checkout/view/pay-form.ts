/** The ways to pay. One of them is open with its form. */
import type { PayerField, PaymentMethod } from '@paywright/contract';
import { html, type SafeHtml } from '@remix-run/html-template';
import type { PayerWay } from '../../engine/payments/types/pay-page.ts';
import { addressFieldsIn } from '../address.ts';
import { maskKnown } from '../format.ts';
import { isKnown, usableFields } from '../known.ts';
import type { Words } from '../../html/words/index.ts';
import { acceptedCards, brandsOfWay } from './brands.ts';
import { attributes } from '../../html/attributes.ts';
import { field, type FieldName, type FieldState } from './field.ts';
import { icon, type IconName } from './icons.ts';
import type { PayView } from './pay-view.ts';
import { nameAmong, nameOfWay } from './way-name.ts';

const icons: Readonly<Record<PaymentMethod, IconName>> = {
  card: 'card',
  card_token: 'card',
  wallet_card: 'card',
  upi_intent: 'phone',
  upi_qr: 'code',
  upi_collect: 'at',
  ewallet_redirect: 'wallet',
  hosted_page: 'bank',
  crypto: 'coin',
};

/** What happens after the button, if the payer pays elsewhere or with another device. */
function hintOf({ wayHints }: Words, { method, leadsTo }: PayerWay, name: string): string | null {
  switch (method) {
    case 'upi_intent':
    case 'upi_qr':
    case 'upi_collect':
      return wayHints[method];
    case 'crypto':
      return wayHints.crypto(name);
    case 'ewallet_redirect':
    case 'hosted_page':
      return leadsTo === undefined ? wayHints.elsewhere : wayHints[method](leadsTo);
    case 'card':
    case 'card_token':
    case 'wallet_card':
      return null;
  }
}

/** The button says what it does: only a form that pays here has the lock and the amount. */
function payButton({ speech: { words }, amount }: PayView, { method, leadsTo }: PayerWay): SafeHtml {
  const { buttons } = words;
  switch (method) {
    case 'upi_intent':
    case 'upi_qr':
    case 'crypto':
      return html`<button class="main"><span>${buttons[method]}</span></button>`;
    case 'ewallet_redirect':
    case 'hosted_page':
      return html`<button class="main">
        <span>${leadsTo === undefined ? words.proceed : buttons[method](leadsTo)}</span>
      </button>`;
    case 'upi_collect':
    case 'card':
    case 'card_token':
    case 'wallet_card':
      return html`<button class="main">${icon('lock')}<span>${words.pay(amount)}</span></button>`;
  }
}

export function waysToPay(view: PayView): SafeHtml {
  const { speech, ways, way: open, address } = view;
  const { words } = speech;
  if (ways.length === 1 && open) {
    return html`<section class="only-way" aria-labelledby="way">
      ${wayForm(view, open, html`<h2 id="way">${nameAndPictures(view, open)}</h2>`)}
    </section>`;
  }
  const rows = ways.map((way) => {
    const name = nameAndPictures(view, way);
    if (way.id === open?.id)
      return html`<li class="way open">${wayForm(view, way, html`<h3 tabindex="-1">${name}</h3>`)}</li>`;
    return html`<li class="way">
      <a href="${address}&way=${encodeURIComponent(way.id)}" data-way>${name}</a>
    </li>`;
  });
  return html`<section aria-labelledby="ways">
    <h2 id="ways">${words.howToPay}</h2>
    <ul class="ways">
      ${rows}
    </ul>
  </section>`;
}

/** The accepted cards are shown next to the card number while its form is open. */
function nameAndPictures({ speech, ways, way: open, base }: PayView, way: PayerWay): SafeHtml {
  const isShownBelow = way.instrument === 'card' && way.id === open?.id;
  const isAlone = ways.length === 1 && way.instrument === 'card';
  return html`${icon(icons[way.method])}<span>${isAlone ? speech.words.payByCard : nameAmong(speech, way, ways)}</span>
    ${isShownBelow ? null : brandsOfWay(way.brands ?? [], base)}`;
}

function wayForm(view: PayView, way: PayerWay, heading: SafeHtml): SafeHtml {
  const { speech, address, details } = view;
  const { words } = speech;
  const hint = hintOf(words, way, nameOfWay(speech, way));
  const texts = attributes({ 'data-some': words.errors.some, 'data-many': words.errors.many, 'data-list': MAX_LISTED });
  return html`${heading}
    <form method="post" action="${address}" class="pay" ${texts}>
      <input type="hidden" name="way" value="${way.id}" />
      <input type="hidden" name="attempts" value="${details.attempts}" />
      ${errorSummary(view)} ${hint ? html`<p class="hint">${hint}</p>` : null} ${fieldsOf(view, way)}
      ${payButton(view, way)}
      ${way.instrument === 'card' ? html`<p class="hint centred">${words.cardIsNotKept}</p>` : null}
    </form>`;
}

const MIN_HEADED = 3;

/** A longer list repeats what the fields say. */
const MAX_LISTED = 3;

/** What is wrong, with links to the fields if they are few. The script writes the same while it checks the form. */
function errorSummary({ speech, problems }: PayView): SafeHtml | null {
  const { errors } = speech.words;
  if (problems.fields.size === 0) return null;
  if (problems.fields.size > MAX_LISTED) return html`<p class="alert" role="alert" data-summary>${errors.many}</p>`;
  const links = [...problems.fields].map(([name, text]) => html`<li><a href="#${name}">${text}</a></li>`);
  return html`<div class="alert" role="alert" data-summary>
    <div>
      <p>${errors.some}</p>
      <ul>
        ${links}
      </ul>
    </div>
  </div>`;
}

/** The order of the form: payment credentials, then the payer, then the address. */
const instruments = { card: ['number', 'expiration', 'cvv'], upiId: ['upiId'] } as const;
const contact: readonly PayerField[] = ['email', 'phoneNumber'];

function fieldsOf(view: PayView, way: PayerWay): SafeHtml {
  const { speech, details, typed, problems } = view;
  const { words } = speech;
  const isCard = way.instrument === 'card';
  const usable = usableFields(details.known, way.fields);
  // The country is chosen from a list, and is not a secret.
  const country = typed['country'] || details.known.country || view.likelyCountry;
  const state: FieldState = {
    speech,
    typed: { ...typed, ...(country && { country }) },
    errors: problems.fields,
    isCard,
    country,
    hasCountry: way.fields.includes('country'),
    cards: acceptedCards(way.brands ?? [], words.acceptedCards, view.base),
  };
  const isHidden = (name: PayerField): boolean => isKnown(usable, name) && !typed[name] && !problems.fields.has(name);
  const known = way.fields.filter((name) => name !== 'country' && isHidden(name));
  const group = (names: readonly PayerField[]): readonly PayerField[] =>
    names.filter((name) => way.fields.includes(name) && !known.includes(name));
  const inputs = (names: readonly FieldName[]): SafeHtml[] => names.map((name) => field(name, state));
  // The labels of one or two fields need no heading.
  const section = (title: string, names: readonly PayerField[]): SafeHtml | null => {
    if (names.length === 0) return null;
    const fields = html`<div class="fields">${inputs(names)}</div>`;
    if (names.length < MIN_HEADED) return fields;
    return html`<fieldset>
      <legend>${title}</legend>
      ${fields}
    </fieldset>`;
  };

  const first = [...(way.instrument ? instruments[way.instrument] : []), ...group(['name'])];
  return html`${first.length > 0 ? html`<div class="fields">${inputs(first)}</div>` : null}
  ${known.length > 0 ? knownDetails(view, known, state) : null} ${section(words.contact, group(contact))}
  ${section(words.billingAddress, group(addressFieldsIn(country)))}`;
}

/**
 * The payer's data, masked for readers of the link. Fields that stay empty use these values. The merchant is named as
 * their source only before the first attempt: afterwards the payer may have typed some of them.
 */
function knownDetails({ speech, page, details }: PayView, known: readonly PayerField[], state: FieldState): SafeHtml {
  const { words } = speech;
  const shown = known.map((name) => html`<li><bdi>${maskKnown(details.known[name] ?? '')}</bdi></li>`);
  return html`<div class="known">
    <p>${details.attempts === 0 ? words.knownAlready(page.merchant.name) : words.yourDetails}</p>
    <ul>
      ${shown}
    </ul>
    <details>
      <summary>${words.change}</summary>
      <div class="fields">${known.map((name) => field(name, { ...state, isOptional: true }))}</div>
    </details>
  </div>`;
}

/** The form for a code that the payer received. */
export function codeForm({ speech, address, problems, typed }: PayView): SafeHtml {
  const { words } = speech;
  return html`<form method="post" action="${address}" class="pay">
    <input type="hidden" name="way" value="confirm" />
    <div class="fields">${field('code', { speech, typed, errors: problems.fields })}</div>
    <button class="main"><span>${words.confirm}</span></button>
  </form>`;
}
