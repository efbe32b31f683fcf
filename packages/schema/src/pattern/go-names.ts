/**
 * The names that Go reads in patterns and `re2js` does not: a group's name that another group has,
 * and the long names of classes of characters, in any spelling (`\p{Uppercase_Letter}`,
 * `\p{greek}`: `regexp/syntax` since Go 1.25).
 */

/**
 * The parts that are read as a whole: quoted text, classes in brackets, escapes, and the beginnings
 * of named groups. The time grows only with the length of the pattern: names have a greatest
 * length, and no text can be read in two ways.
 */
const pieces =
  /\\Q[^]*?(?:\\E|$)|\[\^?\]?(?:\[:\^?\w{1,20}:\]|\\[^]|[^\]\\])*(?:\]|\\?$)|\\[pP]\{[^}]{0,99}\}|\\[^]|\(\?P?<\w+>/g;

/**
 * The pattern with groups that have no names, and with the short names of classes; the same text
 * where nothing had to be changed.
 */
export function withGoNames(pattern: string): string {
  return pattern.replaceAll(pieces, (piece) => {
    if (piece.startsWith('\\Q')) return piece;
    if (piece.startsWith('(')) return '(';
    const isInBrackets = piece.startsWith('[');
    return piece.replaceAll(
      /\\([pP])\{(\^?)([^}]{0,99})\}|\\[^]/g,
      (whole, sign?: string, not?: string, name?: string) =>
        name === undefined ? whole : classOf(name, (sign === 'P') !== (not === '^'), isInBrackets),
    );
  });
}

function classOf(name: string, isNegated: boolean, isInBrackets: boolean): string {
  const key = name.replaceAll(/[ _-]/g, '').toLowerCase();
  if (key === 'ascii') {
    const ascii = isNegated ? '[:^ascii:]' : '[:ascii:]';
    return isInBrackets ? ascii : `[${ascii}]`;
  }
  const known = categories.get(key) ?? key.replace(/^[a-z]/, (first) => first.toUpperCase());
  return `\\${isNegated ? 'P' : 'p'}{${known}}`;
}

/** General categories by their long names (UnicodeData's PropertyValueAliases). */
const categories: ReadonlyMap<string, string> = new Map([
  ['letter', 'L'],
  ['casedletter', 'LC'],
  ['lc', 'LC'],
  ['uppercaseletter', 'Lu'],
  ['lowercaseletter', 'Ll'],
  ['titlecaseletter', 'Lt'],
  ['modifierletter', 'Lm'],
  ['otherletter', 'Lo'],
  ['mark', 'M'],
  ['combiningmark', 'M'],
  ['nonspacingmark', 'Mn'],
  ['spacingmark', 'Mc'],
  ['enclosingmark', 'Me'],
  ['number', 'N'],
  ['decimalnumber', 'Nd'],
  ['digit', 'Nd'],
  ['letternumber', 'Nl'],
  ['othernumber', 'No'],
  ['punctuation', 'P'],
  ['punct', 'P'],
  ['connectorpunctuation', 'Pc'],
  ['dashpunctuation', 'Pd'],
  ['openpunctuation', 'Ps'],
  ['closepunctuation', 'Pe'],
  ['initialpunctuation', 'Pi'],
  ['finalpunctuation', 'Pf'],
  ['otherpunctuation', 'Po'],
  ['symbol', 'S'],
  ['mathsymbol', 'Sm'],
  ['currencysymbol', 'Sc'],
  ['modifiersymbol', 'Sk'],
  ['othersymbol', 'So'],
  ['separator', 'Z'],
  ['spaceseparator', 'Zs'],
  ['lineseparator', 'Zl'],
  ['paragraphseparator', 'Zp'],
  ['other', 'C'],
  ['control', 'Cc'],
  ['cntrl', 'Cc'],
  ['format', 'Cf'],
  ['surrogate', 'Cs'],
  ['privateuse', 'Co'],
  ['unassigned', 'Cn'],
]);
