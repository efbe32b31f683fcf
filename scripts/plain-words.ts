/**
 * Words that the texts of Isthmus avoid, each with its replacement. They are searched in string
 * literals and comments of shipped code, titles of tests, pages, and rows of the coverage. Code
 * within pages and comments is not searched. Pure: text in, findings out.
 */
import type { Finding } from './house-rules.ts';
import { childrenOf, commentsOf, list, parseSource } from './syntax.ts';
import type { SyntaxNode } from './syntax.ts';
import { testTitles } from './test-titles.ts';

interface AvoidedWord {
  readonly pattern: RegExp;
  readonly write: string;
  /** Titles of tests may have it: only contributors read them. */
  readonly inTitles?: 'allowed';
}

const avoided: readonly AvoidedWord[] = [
  { pattern: /\b(?:told|tells?|telling)\b/i, write: 'report, show or notify; or distinguish' },
  { pattern: /\bsays who\b/i, write: 'source' },
  { pattern: /(?<!\bthere )\b(?:is|are) no (?!longer\b|more than\b|such\b)/i, write: 'is not a …, or has no …' },
  { pattern: /(?<!\bthere )\bis none\b/, write: 'is not one of …' },
  { pattern: /\bvouch/i, write: 'verify: "cannot be verified"' },
  { pattern: /\bat hand\b/i, write: 'available, or given' },
  { pattern: /\banew\b/i, write: 'again' },
  { pattern: /\bfor people\b/i, write: 'human-readable, or text' },
  { pattern: /\b(?:strikes?|struck)\b/i, write: 'affects' },
  { pattern: /\b(?:hold|held|holds) (?:to|against)\b/i, write: 'checked against' },
  { pattern: /\blets? go\b/i, write: 'release, resume or unfreeze' },
  { pattern: /\bfor the record\b/i, write: 'note' },
  { pattern: /\b(?:says?|said)\b/i, write: 'report, state, contain or show' },
  { pattern: /(?<!-)\b(?:stands?|stood)\b(?! for\b)/i, write: 'is, exists, or is in' },
  { pattern: /\bwhoever\b/i, write: 'the actor: the owner, the caller, a store' },
  { pattern: /\bmend(?:s|ed|ing)?\b/i, write: 'fix, correct or restore' },
  { pattern: / time-outs?\b/i, write: 'timeout', inTitles: 'allowed' },
  { pattern: /\bmistakes?\b/i, write: 'error', inTitles: 'allowed' },
  { pattern: /\brefuses\b/i, write: 'rejects', inTitles: 'allowed' },
  { pattern: /\bheard\b/i, write: 'received', inTitles: 'allowed' },
  { pattern: /\bsomebody\b/i, write: 'the actor: a user, another client', inTitles: 'allowed' },
  { pattern: /\btravels?\b/i, write: 'is exchanged, is copied, or reaches' },
  { pattern: /\bas (?:when|where)\b/i, write: 'for example if' },
  { pattern: /\b(?:all|the same) but (?!not\b)/i, write: 'except', inTitles: 'allowed' },
  { pattern: /\bthe way back\b/i, write: 'changing back' },
];

/**
 * Fewer than `avoided`, because only contributors read comments. The patterns are global: each
 * match is a finding.
 */
const avoidedInComments: readonly AvoidedWord[] = [
  { pattern: /\b(?:says?|said|saying)\b/gi, write: 'report, state, contain or require' },
  { pattern: /\b(?:tells?|told|telling)\b/gi, write: 'report or notify; or distinguished' },
  { pattern: /\b(?:some|no|any)body\b/gi, write: 'the actor: a user, another client, no controller' },
  { pattern: /(?<!-)\b(?:stands?|stood|standing)\b(?!-| for\b)/gi, write: 'is, exists, is in, or existing' },
  { pattern: /\bwhoever\b/gi, write: 'the actor: the owner, the caller, a store' },
  { pattern: /\banew\b/gi, write: 'again' },
  { pattern: /(?<!\bthere\s+)\bis\s+none\b/gi, write: 'is not a …, or is not one of …' },
  { pattern: /^\s*Of\s/g, write: 'the subject first: "The token …", not "Of the token: …"' },
  { pattern: /\bstrangers?\b/gi, write: 'another client, or an unknown cluster' },
  { pattern: /\bakin\b/gi, write: 'similar, or related' },
  { pattern: /\bvouch\w*/gi, write: 'verify or confirm' },
  { pattern: /\bat\s+hand\b/gi, write: 'available, or given' },
  { pattern: /\bfor\s+people\b/gi, write: 'human-readable, or for users' },
  { pattern: /\bmend(?:s|ed|ing)?\b/gi, write: 'fix, correct or restore' },
  { pattern: /\blet(?:s|ting)?\s+go\b/gi, write: 'release, remove or resume' },
];

const avoidedInTitles = avoided.filter(({ inTitles }) => inTitles !== 'allowed');

/**
 * The findings in a TypeScript file: string literals and templates, without the names of imports.
 * Errors: text that is not TypeScript.
 */
export function wordsInSource(path: string, text: string): readonly Finding[] {
  const literals = parseSource(text).body.flatMap(literalsOf);
  return literals.flatMap(({ at, value }) => findingsIn(path, lineOf(text, at), value));
}

interface Literal {
  readonly at: number;
  readonly value: string;
}

function literalsOf(node: SyntaxNode): readonly Literal[] {
  if (node.type === 'ImportDeclaration') return [];
  const at = Number(node['start']);
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? [{ at, value: node['value'] }] : [];
  if (node.type !== 'TemplateLiteral') return childrenOf(node).flatMap(literalsOf);
  const value = list(node, 'quasis').map(cookedText).join('…');
  return [{ at, value }, ...list(node, 'expressions').flatMap(literalsOf)];
}

function cookedText(quasi: SyntaxNode): string {
  const { value } = quasi;
  return typeof value === 'object' && value !== null && 'cooked' in value ? String(value.cooked) : '';
}

/**
 * The findings in the titles of the tests and groups of a file, without what tables put into them.
 * Errors: text that is not TypeScript.
 */
export function wordsInTitles(path: string, text: string): readonly Finding[] {
  return testTitles(text).flatMap(({ title, at }) => findingsIn(path, lineOf(text, at), title, avoidedInTitles));
}

/**
 * The findings in the comments of a file, without code in backticks and links. Errors: text that is
 * not TypeScript.
 */
export function wordsInComments(path: string, text: string): readonly Finding[] {
  return commentsOf(text).flatMap(({ line, lines }) => {
    const prose = lines.join('\n').replaceAll(/`[^`]*`|\{@link[^}]*\}/g, (code) => code.replaceAll(/[^\n]/g, '`'));
    return avoidedInComments.flatMap(({ pattern, write }) =>
      [...prose.matchAll(pattern)].map((match) => ({
        path,
        line: line + lineOf(prose, match.index) - 1,
        message: `"${match[0].trim().replaceAll(/\s+/g, ' ')}" in a comment: write ${write}`,
      })),
    );
  });
}

/** The findings in a page of Markdown, without its code. */
export function wordsInPage(path: string, text: string): readonly Finding[] {
  let isCode = false;
  return text.split('\n').flatMap((line, index) => {
    if (/^\s*```/.test(line)) isCode = !isCode;
    if (isCode || /^(?: {4}|\t)/.test(line)) return [];
    return findingsIn(path, index + 1, line.replaceAll(/`[^`]*`/g, '`…`'));
  });
}

/**
 * The findings in a file of coverage: what its rows promise and why they differ, without the titles
 * of tests.
 */
export function wordsInCoverage(path: string, text: string): readonly Finding[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      /^\s*(?:- )?(?:title|source|heading|intro|what|reason): /.test(line)
        ? findingsIn(path, index + 1, line.replaceAll(/`[^`]*`/g, '`…`'))
        : [],
    );
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}

function findingsIn(path: string, line: number, text: string, words = avoided): readonly Finding[] {
  return words.flatMap(({ pattern, write }) => {
    const found = pattern.exec(text)?.[0].trim();
    return found === undefined ? [] : [{ path, line, message: `"${found}": write ${write}` }];
  });
}
