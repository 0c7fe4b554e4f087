/** Runs a notification of each event type about payments and refunds, and of each state. */
import { describePublished, fixtureText, type SignCallback } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import wechatPay from '../index.ts';
import type { Options } from '../options.ts';
import { closeResource } from '../resource.ts';
import { signCallback } from '../sandbox/index.ts';
import { mapStatus } from '../statuses.ts';

const text = fixtureText(import.meta.url, 'published.json');

/** The file has the readable content of each resource. It is encrypted, then the notification is signed. */
const sign: SignCallback<Options> = (raw, options, providerSide = {}) => {
  const { resource, ...message } = JSON.parse(Buffer.from(raw.body).toString()) as {
    readonly resource: { readonly associated_data: string; readonly content: unknown };
  };
  const { associated_data, content } = resource;
  const encrypted = closeResource(options.apiV3Keys[0]!, JSON.stringify(content), 'Zy8wVu7tSr6q', associated_data);
  const body = Buffer.from(JSON.stringify({ ...message, resource: encrypted }));
  return signCallback({ ...raw, body }, options, providerSide);
};

describePublished(wechatPay, text, { sign });

describe('published.json', () => {
  it('has each state of orders and refunds', () => {
    const { types } = JSON.parse(text) as { readonly types: readonly string[] };
    const { payment = [], refund = [] } = mapStatus.statuses;
    const named = (kind: string, states: readonly string[]): string[] => states.map((state) => `${kind}: ${state}`);
    expect(types).to.include.members([...named('order', payment), ...named('refund', refund)]);
  });
});
