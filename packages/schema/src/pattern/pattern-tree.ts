/** A pattern taken apart. */
export type PatternNode =
  | { readonly kind: 'one'; readonly fits: (point: number) => boolean }
  | { readonly kind: 'at'; readonly holds: (text: string, at: number) => boolean }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | Choice
  | {
      readonly kind: 'repeat';
      readonly part: PatternNode;
      readonly least: number;
      /** `Infinity`: any number. */
      readonly most: number;
      readonly lazy: boolean;
    };

export interface Choice {
  readonly kind: 'choice';
  readonly branches: readonly PatternNode[];
}

export interface PatternTree {
  readonly root: PatternNode;
  /** How many places leave a choice: alternatives, and repetitions that may be longer or shorter. */
  readonly choices: number;
  /** A choice is within what is repeated: backtracking may take exponential time. */
  readonly nested: boolean;
}

/** As Go's `regexp/syntax` limits them, or less. */
const mostRepeated = 1000;
const mostNested = 1000;
const mostSteps = 200_000;

interface Counted {
  readonly node: PatternNode;
  readonly choices: number;
  readonly steps: number;
  /** By how much the repetitions inside multiply. */
  readonly repeated: number;
}

/**
 * Takes apart a pattern that JavaScript can read with flag `u` and that has no references back and no look-around but for what stands for `\A`
 * and `\z`. `flags`: of `ims`. Errors: throws where the pattern is too large to be matched.
 */
export function patternTree(source: string, flags: string): PatternTree {
  let at = 0;
  let nested = false;

  const branches = (depth: number, inFlags: string): Counted => {
    if (depth > mostNested) throw new Error('expression nests too deeply');
    const all = [sequence(depth, inFlags)];
    while (source[at] === '|') {
      at++;
      all.push(sequence(depth, inFlags));
    }
    const [only] = all;
    if (all.length === 1 && only !== undefined) return only;
    return { ...together(all), node: { kind: 'choice', branches: all.map(({ node }) => node) }, choices: all.length };
  };

  const sequence = (depth: number, inFlags: string): Counted => {
    const parts: Counted[] = [];
    while (at < source.length && source[at] !== '|' && source[at] !== ')') parts.push(repeated(depth, inFlags));
    return { ...together(parts), node: { kind: 'sequence', parts: parts.map(({ node }) => node) } };
  };

  const repeated = (depth: number, inFlags: string): Counted => {
    const part = piece(depth, inFlags);
    const sign = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})(\??)/.exec(source.slice(at, at + 24));
    if (sign === null) return part;
    at += sign[0].length;
    const [, short, from = '', comma, to = '', lazy] = sign;
    const least = short === undefined ? Number(from) : short === '+' ? 1 : 0;
    const open = short === undefined ? comma !== '' && to === '' : short !== '?';
    const most = open ? Infinity : short === '?' ? 1 : comma === '' ? least : Number(to);
    const times = Math.max(1, open ? least : most);
    const repeatedBy = part.repeated * times;
    if (repeatedBy > mostRepeated) throw new Error('invalid repeat count');
    if (most > 1 && part.choices > 0) nested = true;
    const steps = (part.steps + 1) * (times + 1);
    if (steps > mostSteps) throw new Error('expression too large');
    const node: PatternNode = { kind: 'repeat', part: part.node, least, most, lazy: lazy !== '' };
    return { node, choices: part.choices + (least === most ? 0 : 1), steps, repeated: repeatedBy };
  };

  const piece = (depth: number, inFlags: string): Counted => {
    const rest = source.slice(at, at + 64);
    const edge = edges.find(([text]) => rest.startsWith(text));
    if (edge !== undefined) {
      at += edge[0].length;
      return single({ kind: 'at', holds: edge[1](inFlags.includes('m')) });
    }
    const group = /^\((?:\?(?:<[^>]*>|([ims]*)(?:-([ims]*))?:))?/.exec(source.slice(at, at + 200));
    if (group !== null) {
      at += group[0].length;
      const [, on = '', off = ''] = group;
      const inner = branches(depth + 1, [...new Set(inFlags + on)].filter((flag) => !off.includes(flag)).join(''));
      at++;
      return inner;
    }
    const text = oneOf(source, at);
    at += text.length;
    return single({ kind: 'one', fits: fitting(text, inFlags) });
  };

  const { node, choices, steps } = branches(0, flags);
  if (steps > mostSteps) throw new Error('expression too large');
  return { root: node, choices, nested };
}

function single(node: PatternNode): Counted {
  return { node, choices: 0, steps: 1, repeated: 1 };
}

function together(parts: readonly Counted[]): Omit<Counted, 'node'> {
  return {
    choices: parts.reduce((sum, { choices }) => sum + choices, 0),
    steps: parts.reduce((sum, { steps }) => sum + steps, parts.length),
    repeated: parts.reduce((most, { repeated }) => Math.max(most, repeated), 1),
  };
}

/** The text of a class, an escape or a character. */
function oneOf(source: string, at: number): string {
  if (source[at] === '[') {
    let end = at + 1;
    while (end < source.length && source[end] !== ']') end += source[end] === '\\' ? 2 : 1;
    return source.slice(at, end + 1);
  }
  if (source[at] !== '\\') return String.fromCodePoint(source.codePointAt(at) ?? 0);
  return /^\\(?:[pPu]\{[^}]*\}|x[0-9A-Fa-f]{2}|[^])/u.exec(source.slice(at, at + 64))?.[0] ?? '\\';
}

/** Whether a character is one of those: JavaScript knows. */
function fitting(text: string, flags: string): (point: number) => boolean {
  const expression = new RegExp(`^(?:${text})$`, `u${flags.replace('m', '')}`);
  const known: (boolean | undefined)[] = [];
  return (point) => {
    if (point >= 128) return expression.test(String.fromCodePoint(point));
    return (known[point] ??= expression.test(String.fromCodePoint(point)));
  };
}

type Holds = (text: string, at: number) => boolean;

const atStart: Holds = (_, at) => at === 0;
const atEnd: Holds = (text, at) => at === text.length;
const isWord = (text: string, at: number) => /^\w$/.test(text.charAt(at));
const atBorder: Holds = (text, at) => isWord(text, at - 1) !== isWord(text, at);

/** Places in the text, as they are written; `many`: lines count. */
const edges: readonly (readonly [text: string, holds: (many: boolean) => Holds])[] = [
  ['^', (many) => (many ? (text, at) => at === 0 || text[at - 1] === '\n' : atStart)],
  ['$', (many) => (many ? (text, at) => at === text.length || text[at] === '\n' : atEnd)],
  ['\\b', () => atBorder],
  ['\\B', () => (text, at) => !atBorder(text, at)],
  ['(?<![^])', () => atStart],
  ['(?![^])', () => atEnd],
];
