/**
 * A time as Go writes it back, or the error of the text. The zero time is `null`.
 */
export type CanonicalTime = { readonly text: string | null } | { readonly problem: string };

/** `metav1.Time`: RFC 3339, in UTC and whole seconds; a fraction is cut off. */
export function canonicalTime(text: string): CanonicalTime {
  return isCanonical(text) ? { text } : canonical(text, 'seconds');
}

/**
 * Whether the text is already in the form in which it would be written back, as in stored objects.
 */
function isCanonical(text: string): boolean {
  if (!/^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text)) return false;
  const moment = Date.parse(text);
  return !Number.isNaN(moment) && new Date(moment).toISOString().slice(0, 19) === text.slice(0, 19);
}

/** `metav1.MicroTime`: RFC 3339 with six digits after the point. */
export function canonicalMicroTime(text: string): CanonicalTime {
  return canonical(text, 'micro');
}

type Form = 'seconds' | 'micro';

const layouts: Readonly<Record<Form, string>> = {
  seconds: '2006-01-02T15:04:05Z07:00',
  micro: '2006-01-02T15:04:05.000000Z07:00',
};

/**
 * The parts of both layouts: their names in errors, and their texts. Go also reads an hour of one
 * digit.
 */
const parts: readonly (readonly [element: string, pattern: RegExp])[] = [
  ['2006', /^\d{4}/],
  ['-', /^-/],
  ['01', /^\d{2}/],
  ['-', /^-/],
  ['02', /^\d{2}/],
  ['T', /^T/],
  ['15', /^\d{1,2}/],
  [':', /^:/],
  ['04', /^\d{2}/],
  [':', /^:/],
  ['05', /^\d{2}/],
];

function canonical(text: string, form: Form): CanonicalTime {
  const layout = layouts[form];
  const refuse = (rest: string, element: string): CanonicalTime => ({
    problem: `parsing time ${quoted(text)} as "${layout}": cannot parse ${quoted(rest)} as "${element}"`,
  });
  const outOfRange = (what: string): CanonicalTime => ({
    problem: `parsing time ${quoted(text)}: ${what} out of range`,
  });
  const numbers: number[] = [];
  let rest = text;
  for (const [element, pattern] of parts) {
    const [found] = pattern.exec(rest) ?? [];
    if (found === undefined) return refuse(rest, element);
    rest = rest.slice(found.length);
    if (/\d/.test(found)) numbers.push(Number(found));
    const limits = ranges[element];
    if (limits !== undefined && !isWithin(Number(found), limits)) return outOfRange(limits.what);
  }
  const [fraction = ''] = (form === 'micro' ? /^[.,]\d{6}/ : /^[.,]\d+/).exec(rest) ?? [];
  if (form === 'micro' && fraction === '') return refuse(rest, '.000000');
  rest = rest.slice(fraction.length);
  const [, zone, sign, hours = '0', minutes = '0'] = /^(Z|([+-])(\d{2}):(\d{2}))/.exec(rest) ?? [];
  if (zone === undefined) return refuse(rest, 'Z07:00');
  if (Number(hours) > 24) return outOfRange('time zone offset hour');
  if (Number(minutes) > 60) return outOfRange('time zone offset minute');
  rest = rest.slice(zone.length);
  if (rest !== '') return { problem: `parsing time ${quoted(text)}: extra text: ${quoted(rest)}` };
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = numbers;
  if (day < 1 || day > daysIn(year, month)) return outOfRange('day');
  const moment = new Date(0);
  moment.setUTCFullYear(year, month - 1, day);
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? 1 : -1);
  moment.setUTCHours(hour, minute + offset, second);
  const micros = form === 'micro' ? `.${fraction.slice(1)}` : '';
  const whole = moment.toISOString().slice(0, -5);
  return { text: whole === '0001-01-01T00:00:00' && Number(fraction.slice(1)) === 0 ? null : `${whole}${micros}Z` };
}

interface Limits {
  readonly from: number;
  readonly to: number;
  readonly what: string;
}

/** The day is checked last, when month and year are known. */
const ranges: Readonly<Record<string, Limits>> = {
  '01': { from: 1, to: 12, what: 'month' },
  '15': { from: 0, to: 23, what: 'hour' },
  '04': { from: 0, to: 59, what: 'minute' },
  '05': { from: 0, to: 59, what: 'second' },
};

const isWithin = (value: number, { from, to }: Limits) => value >= from && value <= to;

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}

/** Quotes as Go's time package does: bytes beyond ASCII and controls in hexadecimal. */
function quoted(text: string): string {
  let result = '"';
  for (const byte of new TextEncoder().encode(text)) {
    if (byte >= 0x80 || byte < 0x20) result += `\\x${byte.toString(16).padStart(2, '0')}`;
    else result += (byte === 0x22 || byte === 0x5c ? '\\' : '') + String.fromCharCode(byte);
  }
  return `${result}"`;
}
