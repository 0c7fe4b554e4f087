/**
 * Ends with 0 where a container lives: its API answers, or, in one without an API (`paywright worker`), its operators' listener.
 * Not whether it can work: nobody is to end a container because its database is away. That is what /ready is for.
 */
const { PORT = '8080', OPS_PORT = '9464' } = process.env;

const lives = (port) =>
  fetch(`http://127.0.0.1:${port}/health`).then(
    ({ ok }) => ok,
    () => false,
  );

process.exit((await lives(PORT)) || (await lives(OPS_PORT)) ? 0 : 1);
