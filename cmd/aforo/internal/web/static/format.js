// Numbers as people read them, in their language. Pure.

// seconds is microseconds in seconds: as many decimals as there are, six at most.
export function seconds(us, lang) {
  if (us === null) return '∞';
  return new Intl.NumberFormat(lang, { maximumFractionDigits: 6 }).format(us / 1e6) + ' s';
}

// span is a time in its largest unit that divides it: 1 m, 15 m, 90 s.
export const span = (us) => largest(us).join(' ');

const units = [['w', 604800e6], ['d', 86400e6], ['h', 3600e6], ['m', 60e6], ['s', 1e6], ['ms', 1e3], ['us', 1]];

function largest(us) {
  const [name, unit] = units.find(([, u]) => us % u === 0 && us >= u) ?? units[6];
  return [us / unit, name];
}

// per is a time as it stands in a limit, after the slash: m, 15m.
export function per(us) {
  const [n, name] = largest(us);
  return (n === 1 ? '' : n) + name;
}

// period is a time in words, after "per" or "each": minute, 15 minutes.
export function period(us, t) {
  const [n, name] = largest(us);
  return n === 1 ? t('unit.one.' + name) : n + ' ' + t('unit.many.' + name);
}

// number is a number, with six decimals at most.
export const number = (n, lang) => new Intl.NumberFormat(lang, { maximumFractionDigits: 6 }).format(n);
