// mongosh runs this file on one member. It creates the replica set and its users once. A further run only changes
// passwords.
const { MEMBERS, ADMIN_PASSWORD, GATEWAY_PASSWORD } = process.env;

try {
  rs.initiate({ _id: 'gateway', members: MEMBERS.split(',').map((host, _id) => ({ _id, host })) });
} catch (error) {
  // The rest waits while the error is NotYetInitialized. The other two errors mean that the replica set exists already.
  if (!['AlreadyInitialized', 'Unauthorized'].includes(error.codeName)) throw error;
}

// Users can only be made on the primary, and the first user only from the primary's own machine.
const deadline = Date.now() + 60_000;
const isPrimary = () => db.hello().isWritablePrimary;
const isAnotherPrimary = () => ![undefined, db.hello().me].includes(db.hello().primary);
while (!isPrimary() && !isAnotherPrimary() && Date.now() < deadline) sleep(500);

const admin = { user: 'admin', pwd: ADMIN_PASSWORD };
const roles = ['readWrite', 'dbAdmin'].map((role) => ({ role, db: 'gateway' }));
const gateway = { user: 'gateway', pwd: GATEWAY_PASSWORD, roles };
let target = db;
if (!isPrimary()) {
  // Another member was elected. That happens only when this is repeated, so the admin user exists already.
  const { host } = new URL(`mongodb://${db.hello().primary}`);
  target = new Mongo(`mongodb://admin:${ADMIN_PASSWORD}@${host}/admin?tls=true&tlsCAFile=/run/secrets/ca.pem`).getDB(
    'admin',
  );
} else {
  try {
    db.createUser({ ...admin, roles: ['root'] });
  } catch (error) {
    if (!['Unauthorized', 'Location51003'].includes(error.codeName)) throw error;
  }
  db.auth(admin);
}
const { user, ...wanted } = gateway;
if (target.getUser(user)) target.updateUser(user, wanted);
else target.createUser(gateway);
print('the replica set is ready');
