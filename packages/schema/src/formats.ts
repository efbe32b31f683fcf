import { parseAddress } from '@isthmus/machinery';

/**
 * The string formats that are checked here, a subset of those that the API server checks on custom
 * resources. The server checks some more (bsonobjectid, uri, email, hostname, mac, isbn*,
 * creditcard, ssn, hexcolor, rgbcolor, duration, k8s-short-name, k8s-long-name). These stay in the
 * schema and every text is accepted here; {@link uncheckedFormats} lists them so that a caller can
 * report it. Other formats have no effect, there or here.
 */

/** The check of a format, or undefined where none is made. */
export function formatCheck(format: string): ((text: string) => boolean) | undefined {
  return checks.get(format.replaceAll('-', ''));
}

/** Formats that the API server checks and we do not, as it spells them, dashes left out. */
export const uncheckedFormats: ReadonlySet<string> = new Set([
  'bsonobjectid',
  'uri',
  'email',
  'hostname',
  'mac',
  'isbn',
  'isbn10',
  'isbn13',
  'creditcard',
  'ssn',
  'hexcolor',
  'rgbcolor',
  'duration',
  'k8sshortname',
  'k8slongname',
]);

/** Whether the API server knows the format for strings; others it drops before it validates. */
export function isKnownStringFormat(format: string): boolean {
  const name = format.replaceAll('-', '');
  return checks.has(name) || uncheckedFormats.has(name);
}

/** Whether the format is checked here as well, and not by the API server alone. */
export function isCheckedStringFormat(format: string): boolean {
  return formatCheck(format) !== undefined;
}

/**
 * Padded base64 of any length. One class of characters: a group that repeats would fill the stack
 * of the engine on some megabytes.
 */
export function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

const uuid = (version: string) => new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}-?[0-9a-f]{12}$`, 'i');
const anyUuid = uuid('[0-9a-f]{4}-?[0-9a-f]{4}');
const uuid3 = uuid('3[0-9a-f]{3}-?[0-9a-f]{4}');
const uuid4 = uuid('4[0-9a-f]{3}-?[89ab][0-9a-f]{3}');
const uuid5 = uuid('5[0-9a-f]{3}-?[89ab][0-9a-f]{3}');
const fullDate = /^(\d{4})-(\d{2})-(\d{2})$/;
/** As the API server reads it: no leap second, any two-digit offset. */
const dateTime = /^(\d{4}-\d{2}-\d{2})[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;

const checks: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['byte', (text: string) => text !== '' && isBase64(text)],
  ['password', () => true],
  ['date', isDate],
  ['datetime', (text: string) => isDate(dateTime.exec(text)?.[1] ?? '')],
  ['ipv4', (text: string) => text.includes('.') && isAddress(withoutLeadingZeros(text))],
  ['ipv6', (text: string) => text.includes(':') && isAddress(text)],
  ['cidr', isCidr],
  ['uuid', (text: string) => anyUuid.test(text)],
  ['uuid3', (text: string) => uuid3.test(text)],
  ['uuid4', (text: string) => uuid4.test(text)],
  ['uuid5', (text: string) => uuid5.test(text)],
]);

/**
 * An address of either family, also IPv4 in IPv6, which {@link parseAddress} leaves out: with
 * another group it is the same syntax.
 */
function isAddress(text: string): boolean {
  return parseAddress(text.replaceAll(/ffff/gi, 'fffe')) !== undefined;
}

/**
 * `ipv4` and `cidr` are read as Go did before 1.17: numbers may have leading zeros. `ipv6` is not.
 */
function withoutLeadingZeros(text: string): string {
  return text.replaceAll(/(^|[.:])0+(?=[\da-f])/gi, '$1');
}

function isCidr(text: string): boolean {
  const [, address = '', length = ''] = /^([^/]*)\/(\d+)$/.exec(text) ?? [];
  return (
    length !== '' && Number(length) <= (address.includes(':') ? 128 : 32) && isAddress(withoutLeadingZeros(address))
  );
}

function isDate(text: string): boolean {
  const [, year = '', month = '', day = ''] = fullDate.exec(text) ?? [];
  const last = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return year !== '' && Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= last;
}
