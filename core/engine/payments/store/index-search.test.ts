import { expect } from 'chai';
import { describe, it } from 'mocha';
import { paymentRequestModel } from '../../../database/collections/payment-request.ts';
import { schemaVersionModel } from '../../../database/collections/schema-version.ts';
import { DAY } from '../../../base/async/time.ts';
import { caller, cardInput, order, usePayments } from '../testing/setup.ts';
import { createSearchIndexing } from './index-search.ts';

describe('createSearchIndexing', () => {
  const suite = usePayments();

  it('gives payments of an earlier version their keys, in two passes a day apart', async () => {
    const { service } = suite.create();
    const ids: number[] = [];
    for (let count = 0; count < 3; count += 1) ids.push((await service.payH2h(caller, 41, order, cardInput())).id);
    const { collection } = paymentRequestModel(suite.connection());
    const forget = async (): Promise<unknown> =>
      collection.updateMany({}, { $unset: { searchKeys: '', problems: '' } });
    const known = async (): Promise<number> =>
      collection.countDocuments({ searchKeys: 'n:zoe', problems: 'outcome_unknown' });
    expect(await known()).to.equal(3);
    await forget();
    await schemaVersionModel(suite.connection()).deleteMany({});
    let at = new Date();
    const indexing = createSearchIndexing(suite.connection(), () => at);

    expect(await indexing.next(2)).to.deep.equal({ done: 2, more: true });
    expect(await known()).to.equal(2);
    expect(await indexing.next(2)).to.deep.equal({ done: 1, more: false });
    expect(await known()).to.equal(3);

    // A host of the earlier version stores a payment behind the pass.
    await forget();
    expect(await indexing.next(2)).to.deep.equal({ done: 0, more: false });
    at = new Date(at.getTime() + DAY);
    expect(await indexing.next(100)).to.deep.equal({ done: 3, more: false });
    expect(await known()).to.equal(3);

    await forget();
    at = new Date(at.getTime() + DAY);
    expect(await indexing.next(100)).to.deep.equal({ done: 0, more: false });
  });

  it('removes the keys of a payer that a host of an earlier version erased', async () => {
    const { service } = suite.create();
    const { id } = await service.payH2h(caller, 41, order, cardInput());
    const { collection } = paymentRequestModel(suite.connection());
    const erased = { payerName: null, payerEmail: null, payerPhone: '', 'client.name': null, 'client.email': null };
    await collection.updateOne({ _id: id as never }, { $set: { ...erased, 'client.phone': null } });
    await schemaVersionModel(suite.connection()).deleteMany({});
    await createSearchIndexing(suite.connection(), () => new Date()).next(100);
    expect(await collection.findOne({ _id: id as never }))
      .to.have.property('searchKeys')
      .that.deep.equals([]);
  });
});
