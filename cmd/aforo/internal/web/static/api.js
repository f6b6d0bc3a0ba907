// The server's documented interface, and nothing else: docs/API.md.

// A Problem is an answer that says what is wrong, in the server's words.
export class Problem extends Error {
  constructor(body, status) {
    super(body.detail || body.title || 'HTTP ' + status);
    Object.assign(this, { field: body.field, value: body.value, example: body.example });
    this.status = status;
  }
}

async function ask(path, options) {
  const response = await fetch(path, { cache: 'no-store', credentials: 'omit', redirect: 'error', ...options });
  const body = await response.json().catch(() => ({}));
  if (!response.ok && response.status !== 429) throw new Problem(body, response.status);
  return body;
}

const post = (path, body, options = {}) =>
  ask(path, { method: 'POST', body: JSON.stringify(body), ...options, headers: { 'Content-Type': 'application/json', ...options.headers } });

export const simulate = (request, signal) => post('/v1/simulate', request, { signal });
export const readLog = (file) => ask('/v1/arrivals', { method: 'POST', body: file });
export const look = (policy, key) => post('/v1/check', { policy, key, cost: 0 });
export const reset = (policy, key, token) => post('/v1/reset', { policy, key }, { headers: { Authorization: 'Bearer ' + token } });
export const policies = () => ask('/v1/policies', {});
export const scenarios = () => ask('/scenarios.json', { cache: 'default' });
export const words = (lang) => ask('/app/' + lang + '.json', { cache: 'default' });
