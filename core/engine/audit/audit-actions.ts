/** What operators can do that the audit names. */

export const auditedActions = {
  'adapter.check': 'had the connection and the account of an adapter checked',
  'adapter.replay': 'tried a candidate version of an adapter on stored callbacks',
  'adapter.state': 'turned an adapter on, draining or off',
  'alarm.acknowledge': 'looks after an alarm',
  'alarm.resolve': 'said that the cause of an alarm is gone',
  'callback.discard': 'gave up a callback that could not be applied',
  'callback.requeue': 'had a callback applied again',
  'database.shard': 'had the collections of a cluster sharded',
  'deposits.rebuild': 'had the deposits of clients proved and mended',
  'endpoint.disable': 'had nothing sent to an address of a merchant any more',
  'endpoint.enable': 'had notifications sent to a disabled address again',
  'endpoint.test': 'had a test event sent to an address',
  'job.run': 'had a job run at once',
  'key.create': 'made an API key',
  'key.limit': 'changed how many requests a minute an API key may make',
  'key.revoke': 'ended an API key',
  'key.rotate': 'replaced an API key',
  'notification.resend': 'had a notification sent again',
  'notifications.resend': 'had many notifications sent again',
  'operator.create': 'made a key for an operator',
  'operator.revoke': "ended an operator's key",
  'owner.set': 'changed the default addresses or the currency of an owner',
  'payer.erase': 'had it erased who a payer was',
  'payment.cancel': 'cancelled a payment request',
  'payment.reconcile': 'had the providers of a payment asked about it',
  'payment.refund': 'gave money back',
  'payment.review': 'looked at a payment whose outcome nobody could find out',
  'portal.create': 'made a link to the portal of a merchant',
  'portal.revoke': 'ended a link to the portal of a merchant',
  'secret.rotate': 'replaced the webhook secret of an owner',
  'secrets.reencrypt': 'had everything encrypted under the first encryption key',
  'settlement.compare': 'compared the settlement file of a provider with our payments',
} as const satisfies Readonly<Record<string, string>>;

export type ActionName = keyof typeof auditedActions;

export function isActionName(name: string): name is ActionName {
  return Object.hasOwn(auditedActions, name);
}
