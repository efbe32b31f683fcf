/**
 * The titles of the tests and groups in a file of vitest tests, read without running it, with those
 * that a table (`each`, `for`) makes, and whether anything of it runs. Pure.
 *
 * These are found in the source: `skip` and `todo` on the test or a group around it, in the chain,
 * in the options, or as the first thing that a test does; `skipIf`, `runIf` and `if` with a
 * constant condition; tests without a body. A condition that only the run knows (an operating
 * system) counts as met.
 */
import { bare, childrenOf, constantOf, declared, field, list, nameOf, parseSource } from './syntax.ts';
import type { Placed, Scope, SourceFile, SyntaxNode } from './syntax.ts';

export interface TestTitle {
  /** The title as it is in the source: for a table with its `%s` or `$name`. */
  readonly title: string;
  /** Where it begins, as an offset into the text. */
  readonly at: number;
  /**
   * False where it is skipped, has nothing to do, or its table is empty. A group lives while one of
   * its tests does.
   */
  readonly isLive: boolean;
  /** True if the title means nothing without an entry of its table. */
  readonly needsEntry: boolean;
  /** The texts from entries of the table: those that the title prints, and the titles with them. */
  readonly entries: ReadonlySet<string>;
}

/**
 * The tests and groups of a file, in its order. `imported` gives the text of the file behind a
 * relative import, from which tables may come.
 *
 * Errors: text that is no TypeScript.
 */
export function testTitles(text: string, imported: SourceFile['imported'] = () => undefined): readonly TestTitle[] {
  const file = parseSource(text, imported);
  const found: TestTitle[] = [];
  const scope = { body: file.body, file };
  for (const node of file.body) visit({ node, scopes: [scope] }, true, found);
  return found;
}

/** The tests and groups of a file that can never run, as sentences. */
export function deadTests(path: string, text: string): readonly string[] {
  return testTitles(text).flatMap(({ title, at, isLive }) =>
    isLive
      ? []
      : [
          `${path}:${text.slice(0, at).split('\n').length}: '${title}' never runs: it is skipped, or has no body: delete it, or use skipIf or runIf with the condition`,
        ],
  );
}

/** Adds the tests and groups below a node; returns whether a test among them runs. */
function visit({ node, scopes }: Placed, isReached: boolean, found: TestTitle[]): boolean {
  const call = node.type === 'CallExpression' ? declarationOf({ node, scopes }) : undefined;
  if (call !== undefined) return visitDeclaration(call, { scopes, isReached }, found);
  const last = scopes.at(-1);
  const inner =
    node.type === 'BlockStatement' && last !== undefined
      ? [...scopes, { body: list(node, 'body'), file: last.file }]
      : scopes;
  const test = node.type === 'IfStatement' ? field(node, 'test') : undefined;
  const condition = test === undefined ? undefined : constantOf(test, scopes);
  const lives = childrenOf(node).map((child) => {
    const isOut = condition !== undefined && child === field(node, condition.value ? 'alternate' : 'consequent');
    return visit({ node: child, scopes: inner }, isReached && !isOut, found);
  });
  return lives.includes(true);
}

interface Declaration {
  readonly kind: 'test' | 'group';
  readonly title: SyntaxNode;
  readonly body: SyntaxNode | undefined;
  readonly isSkipped: boolean;
  readonly table: SyntaxNode | undefined;
}

function visitDeclaration(
  { kind, title, body, isSkipped, table }: Declaration,
  { scopes, isReached }: { readonly scopes: readonly Scope[]; readonly isReached: boolean },
  found: TestTitle[],
): boolean {
  const template = constantOf(title, scopes)?.value;
  const rows = table === undefined ? undefined : rowsOf({ node: table, scopes });
  const isOwn = isReached && !isSkipped && body !== undefined && rows?.length !== 0;
  const at = found.length;
  const holdsLive = body !== undefined && visit({ node: body, scopes }, isOwn, found);
  const isLive = kind === 'test' ? isOwn : holdsLive;
  if (typeof template !== 'string') return isLive;
  const entriesOf = (): readonly string[] =>
    table === undefined
      ? []
      : rows === undefined
        ? literalsIn({ node: table, scopes }, new Set())
        : rows.flatMap((row) => textsOf(template, row));
  let entries: ReadonlySet<string> | undefined;
  const needsEntry = table !== undefined && template.replaceAll(placeholder, '').replaceAll(/[^\p{L}]/gu, '') === '';
  found.splice(at, 0, {
    title: template,
    at: Number(title['start']),
    isLive,
    needsEntry,
    // Names of a table can lead far: into other files, and through most of them.
    get entries() {
      return (entries ??= new Set(entriesOf()));
    },
  });
  return isLive;
}

interface Callee {
  readonly kind: 'test' | 'group';
  readonly isSkipped: boolean;
  readonly table: SyntaxNode | undefined;
  /** A method that is named and not called yet. */
  readonly method: string | undefined;
}

const kinds: ReadonlyMap<string, Callee['kind']> = new Map([
  ['it', 'test'],
  ['test', 'test'],
  ['describe', 'group'],
  ['suite', 'group'],
]);

const isFunction = (node: SyntaxNode): boolean =>
  node.type === 'ArrowFunctionExpression' || node.type === 'FunctionExpression' || node.type === 'Identifier';

function declarationOf({ node, scopes }: Placed): Declaration | undefined {
  const callee = calleeOf({ node: field(node, 'callee') ?? node, scopes });
  const [title, ...rest] = list(node, 'arguments');
  if (callee === undefined || callee.method !== undefined || title === undefined) return undefined;
  const body = rest.find(isFunction);
  const options = rest.find((one) => one.type === 'ObjectExpression');
  const isSkipped =
    callee.isSkipped ||
    ['skip', 'todo'].some((name) => isTruthy(propertyOf(options, [name]), scopes)) ||
    (callee.kind === 'test' &&
      body !== undefined &&
      list(field(body, 'body'), 'body').some((one) => isSkipCall(one, body)));
  return { kind: callee.kind, title, body, isSkipped, table: callee.table };
}

function calleeOf({ node, scopes }: Placed): Callee | undefined {
  switch (node.type) {
    case 'Identifier': {
      const name = nameOf(node) ?? '';
      const kind = kinds.get(name);
      if (kind !== undefined) return { kind, isSkipped: false, table: undefined, method: undefined };
      const alias = declared(name, scopes);
      return alias === undefined || alias.node.type === 'Identifier' ? undefined : calleeOf(alias);
    }
    case 'MemberExpression': {
      const inner = calleeOf({ node: field(node, 'object') ?? node, scopes });
      const name = nameOf(field(node, 'property'));
      if (inner === undefined || inner.method !== undefined) return undefined;
      if (name === 'skip' || name === 'todo') return { ...inner, isSkipped: true };
      return name !== undefined && ['each', 'for', 'skipIf', 'runIf'].includes(name)
        ? { ...inner, method: name }
        : inner;
    }
    case 'CallExpression':
    case 'TaggedTemplateExpression': {
      const inner = calleeOf({ node: field(node, 'callee') ?? field(node, 'tag') ?? node, scopes });
      if (inner?.method === undefined) return undefined;
      const argument = list(node, 'arguments')[0] ?? field(node, 'quasi');
      const { method } = inner;
      const done = { ...inner, method: undefined };
      if (method === 'each' || method === 'for') return { ...done, table: argument };
      const condition = argument === undefined ? undefined : constantOf(argument, scopes);
      const isOut = condition !== undefined && Boolean(condition.value) === (method === 'skipIf');
      return { ...done, isSkipped: done.isSkipped || isOut };
    }
    default:
      return undefined;
  }
}

const isTruthy = (node: SyntaxNode | undefined, scopes: readonly Scope[]): boolean =>
  node !== undefined && Boolean(constantOf(node, scopes)?.value);

/** `skip()` or `context.skip()` as a statement of a test, outside any condition. */
function isSkipCall(statement: SyntaxNode, test: SyntaxNode): boolean {
  const callee = field(field(statement, 'expression'), 'callee');
  if (nameOf(callee) === 'skip') return true;
  const parameters = list(test, 'params').map(nameOf);
  const object = nameOf(field(callee, 'object'));
  return object !== undefined && parameters.includes(object) && nameOf(field(callee, 'property')) === 'skip';
}

/** The entries of a table, or undefined if they are only known when the test runs. */
function rowsOf({ node, scopes }: Placed): readonly Placed[] | undefined {
  const table = bare(node);
  if (table.type === 'Identifier') {
    const found = declared(nameOf(table) ?? '', scopes);
    return found === undefined ? undefined : rowsOf(found);
  }
  if (table.type === 'CallExpression') return rowsOfObject(table, scopes);
  if (table.type !== 'ArrayExpression') return undefined;
  const rows = list(table, 'elements').map((element) =>
    element.type === 'SpreadElement'
      ? rowsOf({ node: field(element, 'argument') ?? element, scopes })
      : [{ node: bare(element), scopes }],
  );
  return rows.includes(undefined) ? undefined : rows.flatMap((some) => some ?? []);
}

/**
 * The rows of `Object.keys` and `Object.entries`: one for each property, for `entries` with the key
 * before the value.
 */
function rowsOfObject(call: SyntaxNode, scopes: readonly Scope[]): readonly Placed[] | undefined {
  const callee = field(call, 'callee');
  const method = nameOf(field(callee, 'property'));
  const argument = list(call, 'arguments')[0];
  const isKnown = nameOf(field(callee, 'object')) === 'Object' && (method === 'keys' || method === 'entries');
  if (!isKnown || argument === undefined) return undefined;
  const given = bare(argument);
  const object = given.type === 'Identifier' ? declared(nameOf(given) ?? '', scopes) : { node: given, scopes };
  if (object?.node.type !== 'ObjectExpression') return undefined;
  return list(object.node, 'properties').map((property) => {
    const key = { type: 'Literal', value: nameOf(field(property, 'key')) };
    const value = field(property, 'value');
    const node = method === 'keys' || value === undefined ? key : { type: 'ArrayExpression', elements: [key, value] };
    return { node, scopes: object.scopes };
  });
}

const placeholder = /%[sdifjoO]|\$[A-Za-z_][\w.]*/g;

/** The texts that one entry adds to a title, and the whole title, if they can be computed. */
function textsOf(template: string, { node, scopes }: Placed): readonly string[] {
  const columns = node.type === 'ArrayExpression' ? list(node, 'elements') : [node];
  const shown: (string | undefined)[] = [];
  const own: string[] = [];
  let next = 0;
  for (const [mark] of template.matchAll(placeholder)) {
    const at = mark.startsWith('$') ? propertyOf(node, mark.slice(1).split('.')) : columns[next++];
    const constant = at === undefined ? undefined : constantOf(at, scopes);
    shown.push(constant === undefined ? undefined : printed(constant.value, mark));
    if (typeof constant?.value === 'string') own.push(constant.value);
  }
  let index = 0;
  const whole = shown.includes(undefined) ? [] : [template.replaceAll(placeholder, () => shown[index++] ?? '')];
  return [...own, ...whole];
}

const printed = (value: unknown, mark: string): string =>
  mark === '%j' || (typeof value === 'object' && value !== null) ? JSON.stringify(value) : String(value);

function propertyOf(node: SyntaxNode | undefined, path: readonly string[]): SyntaxNode | undefined {
  const [name, ...rest] = path;
  if (name === undefined || node === undefined) return node;
  const property = list(bare(node), 'properties').find((candidate) => nameOf(field(candidate, 'key')) === name);
  return propertyOf(field(property, 'value'), rest);
}

/**
 * Every text in a table that a function computes, as far as names lead. One of them belongs to the
 * entry; which one is not known.
 */
function literalsIn({ node, scopes }: Placed, seen: Set<SyntaxNode>): readonly string[] {
  if (seen.has(node)) return [];
  seen.add(node);
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? [node['value']] : [];
  const found = node.type === 'Identifier' ? declared(nameOf(node) ?? '', scopes) : undefined;
  if (found !== undefined) return literalsIn(found, seen);
  const constant = node.type === 'TemplateLiteral' ? constantOf(node, scopes)?.value : undefined;
  const key = node.type === 'Property' ? nameOf(field(node, 'key')) : undefined;
  return [
    ...[constant, key].filter((text) => typeof text === 'string'),
    ...childrenOf(node).flatMap((child) => literalsIn({ node: child, scopes }, seen)),
  ];
}
