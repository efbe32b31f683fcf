/**
 * The rules for names, labels and ports, with the texts of Kubernetes (`k8s.io/apimachinery`,
 * validation content, 1.36). Each function returns the errors of the value, none if it is valid.
 * Lengths count UTF-8 bytes, as there.
 */

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const LABEL_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const KEY = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

const labelPattern = whole(LABEL);
const subdomainPattern = whole(SUBDOMAIN);
const label1035Pattern = whole(LABEL_1035);
const keyPattern = whole(KEY);
const labelValuePattern = whole(`(${KEY})?`);

/** The most bytes that a DNS label, a label value and the name part of a label key may have. */
export const maxLabelLength = 63;
/** The most bytes that a DNS subdomain, and so most object names, may have. */
export const maxSubdomainLength = 253;

/** Why `value` is not a DNS label of RFC 1123: names of Namespaces, cluster IDs. */
export function dns1123LabelErrors(value: string): readonly string[] {
  const errors = tooLong(value, maxLabelLength);
  if (labelPattern.test(value)) return errors;
  if (subdomainPattern.test(value)) return [...errors, 'must not contain dots'];
  const rule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  return [...errors, mismatch(rule, LABEL, ['my-name', '123-abc'])];
}

/**
 * Why `value` is not a DNS subdomain of RFC 1123: names of most objects, prefixes of label keys.
 */
export function dns1123SubdomainErrors(value: string): readonly string[] {
  const errors = tooLong(value, maxSubdomainLength);
  if (subdomainPattern.test(value)) return errors;
  const rule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  return [...errors, mismatch(rule, SUBDOMAIN, ['example.com'])];
}

/** Why `value` is not a DNS label of RFC 1035: names of Services. */
export function dns1035LabelErrors(value: string): readonly string[] {
  const errors = tooLong(value, maxLabelLength);
  if (label1035Pattern.test(value)) return errors;
  const rule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  return [...errors, mismatch(rule, LABEL_1035, ['my-name', 'abc-123'])];
}

/** Why `value` is not a valid label value. */
export function labelValueErrors(value: string): readonly string[] {
  const errors = tooLong(value, maxLabelLength);
  if (labelValuePattern.test(value)) return errors;
  const rule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  return [...errors, mismatch(rule, `(${KEY})?`, ['MyValue', 'my_value', '12345'])];
}

/**
 * Why `value` is not a qualified name (`name` or `prefix/name`): keys of labels and annotations,
 * finalizers.
 */
export function qualifiedNameErrors(value: string): readonly string[] {
  const parts = value.split('/');
  const rule = () =>
    mismatch(
      "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      KEY,
      ['MyName', 'my.name', '123-abc'],
    );
  if (parts.length > 2) {
    return [`a valid label key ${rule()} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? parts[0] : undefined;
  const errors: string[] = [];
  if (prefix === '') errors.push('prefix part must be non-empty');
  else if (prefix !== undefined) errors.push(...dns1123SubdomainErrors(prefix).map((error) => `prefix part ${error}`));
  if (name === '') errors.push('name part must be non-empty');
  else errors.push(...tooLong(name, maxLabelLength).map((error) => `name part ${error}`));
  if (!keyPattern.test(name)) errors.push(`name part ${rule()}`);
  return errors;
}

/**
 * Why `value` is not a valid name of a port in a container or an EndpointSlice (RFC 6335, lower
 * case).
 */
export function portNameErrors(value: string): readonly string[] {
  const errors = [...tooLong(value, 15)];
  if (!/^[-a-z0-9]+$/.test(value))
    errors.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(value)) errors.push('must contain at least one letter (a-z)');
  if (value.includes('--')) errors.push('must not contain consecutive hyphens');
  if (value.startsWith('-') || value.endsWith('-')) errors.push('must not begin or end with a hyphen');
  return errors;
}

/** Why `value` is not a valid port number. */
export function portNumberErrors(value: number): readonly string[] {
  return Number.isInteger(value) && value >= 1 && value <= 65535 ? [] : ['must be between 1 and 65535, inclusive'];
}

function whole(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`);
}

function tooLong(value: string, limit: number): readonly string[] {
  // A UTF-16 unit takes at most three bytes: most values need no encoding to be known short enough.
  if (value.length * 3 <= limit || new TextEncoder().encode(value).length <= limit) return [];
  return [`must be no more than ${limit} bytes`];
}

function mismatch(rule: string, pattern: string, examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${rule} (e.g. ${shown}regex used for validation is '${pattern}')`;
}
