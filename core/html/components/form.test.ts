import { html } from '@remix-run/html-template';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { fold } from './parts.ts';
import { checkBox, choice, hidden, postForm, showsRefusal, textArea, textField, type RefusedForm } from './form.ts';

const action = '/ops/payments/1/refund';
const fields = html`${textField({ name: 'amount', label: 'Amount', value: '59.00' })}
  ${choice('charge', 'Charge', ['GW-1-1', 'GW-1-2'], 'GW-1-1', { any: false })} ${checkBox('all', 'All', true)}
  ${textArea({ name: 'note', label: 'Note' })} <label>Password <input type="password" name="password" /></label>`;
const values = { amount: '9"9', charge: 'GW-1-2', note: '<b>late</b>', password: 'secret' };
const refused: RefusedForm = { action, values, message: 'only 46.50 EUR can be refunded', errors: [] };

describe('textField', () => {
  it('never writes a value into a password field, and asks the browser to fill in none', () => {
    const text = String(textField({ name: 'key', label: 'Key', type: 'password', value: 'K3Y' }));
    expect(text).to.contain('type="password" name="key" value=""').and.contain('autocomplete="new-password"');
    expect(text).not.to.contain('K3Y');
  });
});

describe('postForm', () => {
  const shown = (given: Partial<RefusedForm> = {}, form = { action, label: 'Refund', fields }): string =>
    String(postForm({ formToken: 't', page: '/ops/payments/1', refused: { ...refused, ...given } }, form));

  it('names the page that it is on, and has no refusal at first', () => {
    const form = postForm({ formToken: 't', page: '/ops/payments/1?a=1&b=2' }, { action, label: 'Refund', fields });
    expect(String(form))
      .to.contain('name="onPage" value="/ops/payments/1?a=1&amp;b=2"')
      .and.to.contain('value="59.00"');
    expect(showsRefusal(form)).to.equal(false);
  });

  it('keeps what was typed in a refused form, but no password, and says why above the fields', () => {
    const text = shown();
    expect(text)
      .to.contain('name="amount" value="9&quot;9"')
      .and.to.contain('<option selected value="GW-1-2">')
      .and.to.contain('<option value="GW-1-1">')
      .and.to.contain('&lt;b&gt;late&lt;/b&gt;</textarea>')
      .and.to.match(/role="alert"[^>]*>\s*<strong>Refund failed\.<\/strong> Only 46\.50 EUR can be refunded\./);
    expect(text).not.to.contain('secret').and.not.to.contain('checked');
    expect(showsRefusal(postForm({ formToken: 't', refused }, { action, label: 'Refund', fields }))).to.equal(true);
  });

  it('says next to a field what is wrong with it', () => {
    const errors = [
      { field: 'charge', value: 'GW-1-2', message: 'has nothing left' },
      { field: 'amount', value: '9"9', message: 'must be a decimal number' },
    ];
    const text = shown({ errors });
    expect(text).to.match(
      /<input aria-invalid="true" autofocus type="text" name="amount"[^>]*><span class="error">Must be a decimal number\.<\/span>/,
    );
    expect(text).to.match(/<\/select><span class="error">Has nothing left\.<\/span>/);
    expect(text.match(/autofocus/g)).to.have.lengthOf(1);
    expect(text).not.to.contain('Refund failed');
  });

  it('says everything that is wrong with a field, and opens the fold that contains the field', () => {
    const folded = html`${fold('Terms', html`${textField({ name: 'fee', label: 'Fee' })}`)}
    ${fold('More', html`${textField({ name: 'other', label: 'Other' })}`)}`;
    const errors = ['is too high', 'has no currency'].map((message) => ({ field: 'fee', value: null, message }));
    const text = shown({ errors }, { action, label: 'Save', fields: folded });
    expect(text)
      .to.contain('<span class="error">Is too high; has no currency.</span>')
      .and.match(/<details class="fold" open[^>]*>\s*<summary>Terms/)
      .and.match(/<details class="fold"\s*>\s*<summary>More/)
      .and.not.contain('Save failed');
  });

  it('says above the form too what is wrong if one of the fields is not in the form', () => {
    const errors = ['amount', 'filter'].map((field) => ({ field, value: '', message: 'is not valid' }));
    expect(shown({ errors })).to.contain('Refund failed').and.contain('aria-invalid');
  });

  it('says above the form what is wrong with a field that the form does not have', () => {
    expect(shown({ errors: [{ field: 'filter', value: '', message: 'is not valid' }] })).to.contain('Refund failed');
  });

  it('distinguishes forms with the same address by their hidden fields', () => {
    const formOf = (origin: string) => ({ action, label: 'Test', fields: hidden({ origin }) });
    const given = { values: { origin: 'https://a.example/?x=1&y=2' } };
    expect(shown(given, formOf('https://a.example/?x=1&y=2'))).to.contain('data-refused');
    expect(shown(given, formOf('https://b.example'))).not.to.contain('data-refused');
    expect(shown({ action: '/ops/other' })).not.to.contain('data-refused');
  });
});
