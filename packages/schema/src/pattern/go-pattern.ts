/**
 * Why Go cannot read a regular expression, in the words of its `regexp/syntax`; undefined where nothing is found. Looked at are groups, classes,
 * repetitions and escapes; `(?i)`-like flags are taken as they come.
 */
export function goPatternProblem(pattern: string): string | undefined {
  const problem = (what: string, where: string) => `error parsing regexp: ${what}: \`${where}\``;
  let depth = 0;
  let last: 'nothing' | 'atom' | 'repetition' = 'nothing';
  let repetitionAt = 0;
  for (let at = 0; at < pattern.length;) {
    const rest = pattern.slice(at);
    const repetition = /^(?:[*+?]|\{(\d+)(,(\d*))?\})\??/.exec(rest);
    if (repetition !== null) {
      const [text, least, , most] = repetition;
      const shown = text.length > 1 && text.endsWith('?') && least === undefined ? text : text.replace(/(?<=.)\?$/, '');
      if (last === 'nothing')
        return problem('missing argument to repetition operator', shown.slice(0, 1) === '{' ? shown : text);
      if (last === 'repetition')
        return problem('invalid nested repetition operator', pattern.slice(repetitionAt, at) + text);
      if (
        Number(least) > 1000 ||
        Number(most) > 1000 ||
        (most !== undefined && most !== '' && Number(least) > Number(most))
      ) {
        return problem('invalid repeat count', shown);
      }
      [last, repetitionAt] = ['repetition', at];
      at += text.length;
    } else if (rest.startsWith('[')) {
      const end = classEnd(rest);
      if (end === undefined) return problem('missing closing ]', rest);
      const range = badRange(rest.slice(1, end));
      if (range !== undefined) return problem('invalid character class range', range);
      [last, at] = ['atom', at + end + 1];
    } else if (rest.startsWith('(')) {
      const named = /^\(\?P?<([^>]*)(>?)/.exec(rest);
      if (/^\(\?<?[=!]/.test(rest))
        return problem('invalid or unsupported Perl syntax', rest.slice(0, rest.startsWith('(?<') ? 4 : 3));
      if (named !== null && (named[2] === '' || !/^\w+$/.test(named[1] ?? '')))
        return problem('invalid named capture', named[0]);
      const flags = named === null ? /^\(\?[imsU-]*[:)]/.exec(rest) : null;
      if (rest.startsWith('(?') && named === null && flags === null) {
        return problem('invalid or unsupported Perl syntax', /^\(\?[imsU-]*.?/.exec(rest)?.[0] ?? rest);
      }
      if (flags?.[0].endsWith(')') !== true) depth++;
      [last, at] = ['nothing', at + (named ?? flags ?? ['('])[0].length];
    } else if (rest.startsWith(')')) {
      if (depth-- === 0) return problem('unexpected )', pattern);
      [last, at] = ['atom', at + 1];
    } else if (rest.startsWith('\\')) {
      if (rest.length === 1) return problem('trailing backslash at end of expression', '');
      if (/^\\(?:[1-9]|[cegijkloquyEGHIJKLMNORTUVXYZ])/.test(rest))
        return problem('invalid escape sequence', rest.slice(0, 2));
      [last, at] = ['atom', at + 2];
    } else {
      [last, at] = [rest.startsWith('|') ? 'nothing' : 'atom', at + 1];
    }
  }
  return depth > 0 ? problem('missing closing )', pattern) : undefined;
}

/** Where the class that the text begins with ends. */
function classEnd(text: string): number | undefined {
  // The first character may be the closing bracket itself.
  const start = /^\[\^?\]?/.exec(text)?.[0].length ?? 1;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text.startsWith('[:', at) && text.includes(':]', at)) at = text.indexOf(':]', at) + 1;
    else if (text[at] === ']') return at;
  }
  return undefined;
}

const classNames = [
  'alnum',
  'alpha',
  'ascii',
  'blank',
  'cntrl',
  'digit',
  'graph',
  'lower',
  'print',
  'punct',
  'space',
  'upper',
  'word',
  'xdigit',
];

function badRange(inside: string): string | undefined {
  for (const [whole, name = ''] of inside.matchAll(/\[:\^?(\w+):\]/g)) if (!classNames.includes(name)) return whole;
  const plain = inside.replaceAll(/\[:\^?\w+:\]|\\./g, '');
  for (const [range, from = '', to = ''] of plain.matchAll(/([^-])-([^-])/g)) if (from > to) return range;
  return undefined;
}
