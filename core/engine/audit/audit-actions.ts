/** The actions of operators that are audited, each with its description. */

export const auditedActions = {
  'adapter.check': 'checked the connection and the account of an adapter',
  'adapter.replay': 'tried a candidate version of an adapter on stored callbacks',
  'adapter.state': 'turned an adapter on, draining or off',
  'alarm.acknowledge': 'acknowledged an alarm',
  'alarm.resolve': 'resolved an alarm',
  'callback.discard': 'discarded a callback that could not be applied',
  'callback.requeue': 'applied a callback again',
  'database.shard': 'sharded the collections of a cluster',
  'deposits.rebuild': 'checked and corrected the deposits of clients',
  'endpoint.disable': 'stopped notifications to an address of a merchant',
  'endpoint.enable': 'resumed notifications to a disabled address',
  'endpoint.test': 'sent a test event to an address',
  'job.run': 'ran a job immediately',
  'key.create': 'created an API key',
  'key.limit': 'changed the rate limit of an API key',
  'key.revoke': 'revoked an API key',
  'key.rotate': 'replaced an API key',
  'notification.resend': 'resent a notification',
  'notifications.resend': 'resent many notifications',
  'operator.create': 'created a key for an operator',
  'operator.revoke': "revoked an operator's key",
  'owner.set': 'changed the defaults of an owner',
  'payer.erase': 'erased the personal data of a payer',
  'payment.cancel': 'cancelled a payment request',
  'payment.reconcile': 'requested the status of a payment from its providers',
  'payment.refund': 'refunded a payment',
  'payments.reconcile': 'requested the status of all payments of an adapter since a time',
  'payment.settle_refund': 'recorded the result of a refund that the merchant had to send',
  'payment.review': 'marked a payment with an unknown outcome as reviewed',
  'portal.create': 'created a link to the portal of a merchant',
  'portal.revoke': 'revoked a link to the portal of a merchant',
  'secret.rotate': 'replaced the webhook secret of an owner',
  'secrets.reencrypt': 'encrypted everything with the first encryption key',
  'settlement.compare': 'compared the settlement file of a provider with our payments',
} as const satisfies Readonly<Record<string, string>>;

export type ActionName = keyof typeof auditedActions;

export function isActionName(name: string): name is ActionName {
  return Object.hasOwn(auditedActions, name);
}
