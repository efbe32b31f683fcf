/**
 * The mutants of a TypeScript file: one small change each, such as `<` to `<=`. All of them are put
 * into one text, behind switches: `(globalThis.mutant(3) ? a <= b : a < b)`. So the text is loaded
 * once, and `globalThis.mutant` decides which change holds while a test runs. Where that has no
 * effect, a switch also reports whether the change would make a difference: a test in which it
 * makes none notices nothing. Texts, what is logged, errors, imports and types are left as they
 * are. Pure: text in, text out.
 */
import type { SyntaxNode } from '../syntax.ts';
import { childrenOf, field, list, nameOf, parseSource } from '../syntax.ts';
import type { Source } from './changes.ts';
import { alternativesOf, end, isComparable, isLeftOut, isRemovable, isText, literals, start } from './changes.ts';

/** One change of a file. */
export interface Mutant {
  /** From 1. */
  readonly line: number;
  /** The text of this line, trimmed. */
  readonly content: string;
  /** `original -> mutant`, on one line. */
  readonly change: string;
}

export interface MutatedFile {
  readonly mutants: readonly Mutant[];
  /** The text with all mutants, whose numbers begin with the given one. */
  readonly text: string;
}

/** Puts all mutants into a file. `first`: the number of the first. Errors: as of `parseSource`. */
export function mutate(text: string, first = 0): MutatedFile {
  const { body } = parseSource(text);
  const mutator = new Mutator(text, first, body);
  let result = '';
  let at = 0;
  for (const statement of body) {
    result += text.slice(at, start(statement)) + mutator.render(statement);
    at = end(statement);
  }
  return { mutants: mutator.mutants, text: result + text.slice(at) };
}

const removed = '(removed)';
/** Operators whose numbers have no mutants of their own, as in lists: other mutants do the same. */
const ofNumbers: ReadonlySet<string> = new Set(['<', '<=', '>', '>=', '*', '/', '%']);

class Mutator implements Source {
  readonly mutants: Mutant[] = [];
  readonly text: string;
  readonly #lines: readonly string[];
  readonly #first: number;
  /** Numbers of the file that have a name: they are changed where they are used. */
  readonly #constants: ReadonlyMap<string, { readonly node: SyntaxNode; readonly switches: string }>;

  constructor(text: string, first: number, body: readonly SyntaxNode[]) {
    this.text = text;
    this.#first = first;
    this.#lines = text.split('\n');
    this.#constants = new Map(
      namedNumbers(body).map(({ name, node }) => [
        name,
        { node, switches: this.#switches(node, literals(node['value'])) },
      ]),
    );
  }

  textOf = (node: SyntaxNode): string => this.text.slice(start(node), end(node));

  /** The text of a node with all its mutants. */
  render(node: SyntaxNode, isCondition = false): string {
    if (isLeftOut(node, this)) return this.textOf(node);
    const constant = this.#constants.get(nameOf(node) ?? '');
    if (this.#constants.values().some((one) => one.node === node)) return this.textOf(node);
    if (constant !== undefined && node.type === 'Identifier') return `(${constant.switches}${this.textOf(node)})`;
    const ways = [...(isCondition ? ['true', 'false'] : []), ...alternativesOf(node, this, isCondition)];
    const switches = this.#switches(node, ways);
    if (isRemovable(node, this)) return `if (${this.#switch(node, removed)}) {} else ${this.#inner(node)}`;
    return switches === '' ? this.#inner(node) : `(${switches}${this.#inner(node)})`;
  }

  #switches(node: SyntaxNode, ways: readonly string[]): string {
    return ways.map((way) => `${this.#switch(node, way)} ? ${way} : `).join('');
  }

  /** The question whether a mutant holds. */
  #switch(node: SyntaxNode, way: string): string {
    const original = this.textOf(node);
    const line = this.text.slice(0, start(node)).split('\n').length;
    const content = (this.#lines[line - 1] ?? '').trim();
    this.mutants.push({ line, content, change: `${short(original)} -> ${short(way)}` });
    const differs = way !== removed && isComparable(node) ? `, () => (${way}) !== (${original})` : '';
    return `globalThis.mutant(${this.#first + this.mutants.length - 1}${differs})`;
  }

  /** The text of a node, with the mutants of what is in it. */
  #inner(node: SyntaxNode): string {
    const hasCondition = node.type === 'IfStatement' || node.type === 'ConditionalExpression';
    const condition = hasCondition ? field(node, 'test') : undefined;
    let result = '';
    let at = start(node);
    for (const part of this.#evaluated(node)) {
      const hasOthers = ofNumbers.has(String(node['operator'])) || node.type === 'ArrayExpression';
      const isOperand = hasOthers && typeof part['value'] === 'number';
      const rendered = isOperand ? this.textOf(part) : this.render(part, part === condition);
      // What a short property stands for has a name of its own once it is more than a name.
      const key = node['shorthand'] === true && part.type === 'Identifier' ? `${nameOf(part)}: ` : '';
      result += this.text.slice(at, start(part)) + key + this.#elementOf(node, part, rendered);
      at = end(part);
    }
    return result + this.text.slice(at, end(node));
  }

  /** An element of a list, or what is spread into a list or an object, can be left out. */
  #elementOf(parent: SyntaxNode, part: SyntaxNode, rendered: string): string {
    const isSpread = part.type === 'SpreadElement';
    const isElement = parent.type === 'ArrayExpression' && !isText(part);
    if (!isElement && !(isSpread && parent.type === 'ObjectExpression')) return rendered;
    const question = this.#switch(part, removed);
    if (parent.type === 'ObjectExpression') return `...(${question} ? {} : ${rendered.slice(3)})`;
    return isSpread ? `...(${question} ? [] : ${rendered.slice(3)})` : `...(${question} ? [] : [${rendered}])`;
  }

  /** The parts of a node that are evaluated, and that can be replaced, in their order. */
  #evaluated(node: SyntaxNode): readonly SyntaxNode[] {
    const isNamed = node['computed'] !== true && (node.type === 'MemberExpression' || field(node, 'key') !== undefined);
    const isTarget = node.type === 'AssignmentExpression' || node.type === 'UpdateExpression';
    const skipped: readonly unknown[] = [
      ...(isNamed ? [field(node, 'key'), field(node, 'property')] : []),
      ...(isTarget ? [field(node, 'left'), field(node, 'argument')] : []),
      field(node, 'id'),
      ...list(node, 'specifiers'),
    ];
    const isPart = (child: SyntaxNode) =>
      child.type !== 'Identifier' || node.type === 'ArrayExpression' || this.#constants.has(nameOf(child) ?? '');
    return childrenOf(node)
      .filter((child) => isPart(child) && (!skipped.includes(child) || child === field(node, 'value')))
      .toSorted((one, other) => start(one) - start(other));
  }
}

/** Constants of a file that are numbers, and whose names mean nothing else in it. */
function namedNumbers(body: readonly SyntaxNode[]): readonly { readonly name: string; readonly node: SyntaxNode }[] {
  const bound = body.flatMap(boundNames);
  return body.flatMap((statement) => {
    const declaration = statement.type === 'ExportNamedDeclaration' ? field(statement, 'declaration') : statement;
    return list(declaration, 'declarations').flatMap((one) => {
      const [name, node] = [nameOf(field(one, 'id')), field(one, 'init')];
      const isOnly = bound.filter((other) => other === name).length === 1;
      return name !== undefined && node !== undefined && isOnly && typeof node['value'] === 'number'
        ? [{ name, node }]
        : [];
    });
  });
}

/** The names that are declared anywhere in a node: of variables, functions and parameters. */
function boundNames(node: SyntaxNode): readonly string[] {
  const patterns = [field(node, 'id'), field(node, 'param'), ...list(node, 'params')];
  const names = (pattern: SyntaxNode | undefined): readonly string[] => {
    if (pattern === undefined || pattern.type.startsWith('TS')) return [];
    if (pattern.type === 'Identifier') return [nameOf(pattern) ?? ''];
    const inner = pattern.type === 'Property' ? [field(pattern, 'value')] : childrenOf(pattern);
    return inner.flatMap((one) => (one?.type === 'AssignmentPattern' ? names(field(one, 'left')) : names(one)));
  };
  const isType = node.type.startsWith('TS') || node.type === 'ImportDeclaration';
  return isType ? [] : [...patterns.flatMap(names), ...childrenOf(node).flatMap(boundNames)];
}

/** A piece of source on one line, cut where it is long. */
function short(source: string): string {
  const line = source.replaceAll(/\s+/g, ' ');
  return line.length <= 70 ? line : `${line.slice(0, 68)}…`;
}
