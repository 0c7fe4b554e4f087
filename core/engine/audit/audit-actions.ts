/** The actions of operators that are audited, each with its description. */

export const auditedActions = {
  'account.add': 'added an account of a provider',
  'account.remove': 'removed an account of a provider',
  'account.set': 'changed an account of a provider',
  'adapter.check': 'checked the connection and the credentials of a provider',
  'adapter.replay': 'tried a new version of an adapter on stored callbacks',
  'adapter.state': 'switched a provider on or off, or drained it',
  'alarm.acknowledge': 'acknowledged an alarm',
  'alarm.resolve': 'resolved an alarm',
  'callback.discard': 'discarded a callback',
  'callback.requeue': 'retried a callback',
  'database.migrate': 'moved the database to another schema version',
  'database.shard': 'sharded the collections of a cluster',
  'deposits.rebuild': 'checked and corrected the deposits of clients',
  'endpoint.disable': 'disabled an endpoint of a merchant',
  'endpoint.enable': 'enabled an endpoint of a merchant',
  'endpoint.test': 'sent a test event to an endpoint',
  'job.run': 'ran a job immediately',
  'key.create': 'created an API key',
  'key.limit': 'changed the rate limit of an API key',
  'key.revoke': 'revoked an API key',
  'key.rotate': 'rotated an API key',
  'notification.resend': 'resent a notification',
  'notifications.resend': 'resent many notifications',
  'operator.create': 'created a key for an operator',
  'operator.revoke': "revoked an operator's key",
  'owner.create': 'created a merchant',
  'owner.remove': 'removed a merchant',
  'owner.set': 'changed the settings of a merchant',
  'payer.erase': 'erased the personal data of a payer',
  'payment.cancel': 'cancelled a payment request',
  'payment.reconcile': 'requested a status check of a payment',
  'payment.refund': 'refunded a payment',
  'payments.reconcile': 'requested a status check of all recent payments of a provider',
  'payment.settle_refund': 'recorded the result of a refund',
  'payment.review': 'reviewed a payment',
  'payment.note': 'added a note to a payment',
  'portal.create': 'created a portal link',
  'portal.revoke': 'revoked a portal link',
  'secret.rotate': 'rotated the webhook secret of a merchant',
  'secret.show': 'looked at the webhook secret of a merchant',
  'secrets.reencrypt': 'encrypted all stored secrets again',
  'settlement.compare': 'compared a settlement file with the payments',
} as const satisfies Readonly<Record<string, string>>;

export type ActionName = keyof typeof auditedActions;

export function isActionName(name: string): name is ActionName {
  return Object.hasOwn(auditedActions, name);
}
