// What a person gave the page and the page does not take: a message's key and
// what to put into it. Nothing of it is ever written as HTML.
export class Refused extends Error {
  constructor(key, values = {}) {
    super(key);
    this.key = key;
    this.values = values;
  }
}

// cut bounds how much of what somebody gave is shown again.
export const cut = (text) => (text.length > 60 ? text.slice(0, 60) + '…' : text);
