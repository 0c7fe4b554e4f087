/**
 * Exits with 0 if a container is alive: if its API answers or, without an API (`paywright worker`), its operators'
 * listener. It does not check whether the container can work, because a container must not be killed when its database
 * is down. /ready checks that.
 */
const { PORT = '8080', OPS_PORT = '9464' } = process.env;

const lives = (port) =>
  fetch(`http://127.0.0.1:${port}/health`).then(
    ({ ok }) => ok,
    () => false,
  );

process.exit((await lives(PORT)) || (await lives(OPS_PORT)) ? 0 : 1);
