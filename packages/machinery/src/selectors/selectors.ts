import { labelValueErrors, qualifiedNameErrors } from '../formats/names.ts';
import { errorMessage } from '../formats/error-message.ts';

/**
 * One condition on one label. `key=value` is `In` with one value, `key!=value` is `NotIn` with one.
 */
export type Requirement =
  | { readonly key: string; readonly operator: 'In' | 'NotIn'; readonly values: readonly string[] }
  | { readonly key: string; readonly operator: 'Exists' | 'DoesNotExist' }
  /** Compares the label as a 64-bit integer. */
  | { readonly key: string; readonly operator: 'Gt' | 'Lt'; readonly value: string };

/**
 * All requirements hold. Empty: everything matches. In the order of the keys, bytewise, as parsing
 * leaves it.
 */
export type LabelSelector = readonly Requirement[];

/** `metav1.LabelSelector`: the form in objects. Empty selects everything. */
export interface LabelSelectorObject {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  readonly matchExpressions?:
    | readonly { readonly key: string; readonly operator: string; readonly values?: readonly string[] | undefined }[]
    | undefined;
}

/**
 * The selector that `text` writes, as `labelSelector=` of a list has it: equality-based, set-based,
 * `key`, `!key`, `key>1`, `key<1`.
 *
 * Errors: throws with the API server's text where the text is not a selector or names an impossible
 * key or value.
 */
export function parseLabelSelector(text: string): LabelSelector {
  const tokens = scan(text);
  let at = 0;
  const peek = () => tokens[at] ?? '';
  const take = () => tokens[at++] ?? '';
  const requirements: Requirement[] = [];
  while (peek() !== '') {
    if (peek() !== '!' && isSymbol(peek()))
      throw new Error(`found '${peek()}', expected: !, identifier, or 'end of string'`);
    requirements.push(unable(() => parseRequirement(peek, take)));
    if (peek() === '') break;
    if (take() !== ',') throw new Error(`found '${tokens[at - 1]}', expected: ',' or 'end of string'`);
    if (peek() === '' || (peek() !== '!' && isSymbol(peek())))
      throw new Error(`found '${peek()}', expected: identifier after ','`);
  }
  return sorted(requirements);
}

/**
 * The selector that an object holds.
 *
 * Errors: throws where an operator is unknown, where values are missing or too many, or where a key
 * or value is impossible.
 */
export function labelSelectorOf(object: LabelSelectorObject): LabelSelector {
  const requirements: Requirement[] = [];
  for (const [key, value] of Object.entries(object.matchLabels ?? {})) {
    requirements.push(checked({ key, operator: 'In', values: [value] }));
  }
  for (const { key, operator, values = [] } of object.matchExpressions ?? []) {
    if (operator === 'In' || operator === 'NotIn')
      requirements.push(checked({ key, operator, values: unique(values) }));
    else if (operator !== 'Exists' && operator !== 'DoesNotExist') {
      throw new Error(`${JSON.stringify(operator)} is not a valid label selector operator`);
    } else if (values.length > 0) {
      throw new Error(
        `values: Invalid value: ${JSON.stringify(values)}: values set must be empty for exists and does not exist`,
      );
    } else requirements.push(checked({ key, operator }));
  }
  return sorted(requirements);
}

/** Whether an object with these labels is selected. */
export function matchesLabels(selector: LabelSelector, labels: Readonly<Record<string, string>> | undefined): boolean {
  return selector.every((requirement) => {
    const value = labels !== undefined && Object.hasOwn(labels, requirement.key) ? labels[requirement.key] : undefined;
    return meets(requirement, value);
  });
}

/**
 * The text that {@link parseLabelSelector} reads back as the same selector; values in bytewise
 * order.
 */
export function printLabelSelector(selector: LabelSelector): string {
  return selector.map(printRequirement).join(',');
}

function meets(requirement: Requirement, value: string | undefined): boolean {
  switch (requirement.operator) {
    case 'In':
      return value !== undefined && requirement.values.includes(value);
    case 'NotIn':
      return value === undefined || !requirement.values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
    case 'Lt': {
      const have = value === undefined ? undefined : parseInt64(value);
      const bound = parseInt64(requirement.value);
      if (have === undefined || bound === undefined) return false;
      return requirement.operator === 'Gt' ? have > bound : have < bound;
    }
  }
}

function printRequirement(requirement: Requirement): string {
  const { key } = requirement;
  switch (requirement.operator) {
    case 'In':
    case 'NotIn': {
      const values = requirement.values.toSorted(bytewise);
      const equality = requirement.operator === 'In' ? '=' : '!=';
      if (values.length === 1) return `${key}${equality}${values[0]}`;
      return `${key} ${requirement.operator === 'In' ? 'in' : 'notin'} (${values.join(',')})`;
    }
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    case 'Gt':
      return `${key}>${requirement.value}`;
    case 'Lt':
      return `${key}<${requirement.value}`;
  }
}

/** Symbols and words, without the spaces between them. */
function scan(text: string): readonly string[] {
  return text.match(/==|!=|[=!(),<>]|[^=!(),<>\s]+/g) ?? [];
}

function isSymbol(token: string): boolean {
  return /^[=!(),<>]/.test(token);
}

function parseRequirement(peek: () => string, take: () => string): Requirement {
  const negated = peek() === '!';
  if (negated) take();
  const key = take();
  if (key === '' || isSymbol(key)) throw new Error(`found '${key}', expected: identifier`);
  checkKey(key);
  if (negated) return { key, operator: 'DoesNotExist' };
  if (peek() === '' || peek() === ',') return { key, operator: 'Exists' };
  const operator = take();
  switch (operator) {
    case 'in':
      return checked({ key, operator: 'In', values: parseValues(take) });
    case 'notin':
      return checked({ key, operator: 'NotIn', values: parseValues(take) });
    case '=':
    case '==':
      return checked({ key, operator: 'In', values: [parseValue(peek, take)] });
    case '!=':
      return checked({ key, operator: 'NotIn', values: [parseValue(peek, take)] });
    case '>':
      return checked({ key, operator: 'Gt', value: parseValue(peek, take) });
    case '<':
      return checked({ key, operator: 'Lt', value: parseValue(peek, take) });
    default:
      throw new Error(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
  }
}

function parseValue(peek: () => string, take: () => string): string {
  if (peek() === '' || peek() === ',') return '';
  const value = take();
  if (isSymbol(value)) throw new Error(`found '${value}', expected: identifier`);
  return value;
}

function parseValues(take: () => string): readonly string[] {
  const open = take();
  if (open !== '(') throw new Error(`found '${open}' expected: '('`);
  const values: string[] = [];
  let token = take();
  for (;;) {
    // Between two commas or brackets, the value is empty: `a in ()` selects objects with an empty
    // `a`.
    const empty = token === ',' || token === ')';
    if (!empty && (token === '' || isSymbol(token)))
      throw new Error(`found '${token}', expected: ',', ')' or identifier`);
    values.push(empty ? '' : token);
    const next = empty ? token : take();
    if (next === ')') return unique(values);
    if (next !== ',') throw new Error(`found '${next}', expected: ',' or ')'`);
    token = take();
  }
}

function checked(requirement: Requirement): Requirement {
  checkKey(requirement.key);
  if (requirement.operator === 'In' || requirement.operator === 'NotIn') {
    if (requirement.values.length === 0) {
      throw new Error("values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty");
    }
    for (const [index, value] of requirement.values.entries()) {
      refuse(`values[${index}][${requirement.key}]`, value, labelValueErrors(value));
    }
  }
  if ((requirement.operator === 'Gt' || requirement.operator === 'Lt') && parseInt64(requirement.value) === undefined) {
    refuse('values[0]', requirement.value, ["for 'Gt', 'Lt' operators, the value must be an integer"]);
  }
  return requirement;
}

function checkKey(key: string): void {
  refuse('key', key, qualifiedNameErrors(key));
}

function refuse(path: string, value: string, errors: readonly string[]): void {
  if (errors.length > 0) throw new Error(`${path}: Invalid value: ${JSON.stringify(value)}: ${errors.join('; ')}`);
}

function unable<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new Error(`unable to parse requirement: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,30}$/.test(text)) return undefined;
  const value = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function sorted(requirements: readonly Requirement[]): LabelSelector {
  return requirements.toSorted((a, b) => bytewise(a.key, b.key));
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}

function bytewise(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
