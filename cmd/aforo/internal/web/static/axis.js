// One time axis for everything that is drawn: where an instant stands, and which
// instants are labelled. Pure.

// The room to the left and to the right of every plot, in pixels.
export const left = 48;
export const right = 14;

// scale maps instants from one to another to pixels of a width, and back.
export function scale(from, until, width) {
  const room = Math.max(1, width - left - right);
  return {
    x: (t) => left + ((t - from) / (until - from)) * room,
    t: (x) => Math.round(from + Math.min(1, Math.max(0, (x - left) / room)) * (until - from)),
  };
}

const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500].flatMap((n) => [n, n * 1e3]).concat(
  [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400].map((s) => s * 1e6)).sort((a, b) => a - b);

// ticks are the instants to label, at most some eight of them.
export function ticks(from, until) {
  const rough = (until - from) / 8;
  const step = steps.find((s) => s >= rough) ?? Math.ceil(rough / 86400e6) * 86400e6;
  const found = [];
  for (let t = Math.ceil(from / step) * step; t <= until; t += step) found.push(t);
  return found;
}

// label is an instant: seconds and minutes from 0, or the time of day of a log.
export function label(t, from) {
  if (from >= 86400e6 * 365) return new Date(t / 1e3).toISOString().slice(11, 19);
  const s = t / 1e6;
  if (s < 120) return String(Math.round(s * 1e6) / 1e6);
  const clock = [Math.floor(s / 3600), Math.floor(s / 60) % 60, Math.floor(s % 60)].map((n) => String(n).padStart(2, '0'));
  return clock[0] === '00' ? Number(clock[1]) + ':' + clock[2] : Number(clock[0]) + ':' + clock[1] + ':' + clock[2];
}
