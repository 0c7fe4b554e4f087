/** Runs messages of each event code that Adyen publishes. */
import { Types } from '@adyen/api-library';
import { describePublished, fixture, fixtureText } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import adyen from '../index.ts';
import { signCallback } from '../sandbox/index.ts';

const text = fixtureText(import.meta.url, 'published.json');

describePublished(adyen, text, { sign: signCallback });

describe('published.json', () => {
  it('has each event code of Adyen’s OpenAPI document and of its library', () => {
    const { types } = JSON.parse(text) as { readonly types: readonly string[] };
    const { webhooks } = fixture(import.meta.url, 'openapi.json') as {
      readonly webhooks: { readonly eventCodes: readonly string[] };
    };
    expect(types).to.include.members(webhooks.eventCodes);
    expect(types).to.include.members(Object.values(Types.notification.NotificationRequestItem.EventCodeEnum));
  });
});
