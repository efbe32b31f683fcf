import fc from 'fast-check';

const oneOf = (blankSeparated: string) => fc.constantFrom(...blankSeparated.trim().split(/\s+/));

const pieces = oneOf(String.raw`
  a b K é 😀 . { } ] _ / (?:) {1,2 \w \W \d \D \s \S \a \t \v \. \- \/ \@ \" \< \07 \123 \x41 \x{1F600} \pL \pN \p{Greek} \p{^Greek} \P{Lu}
  \p{Uppercase_Letter} \p{ascii} \Qa.b\E [ab] [^a] [\w-_] [\w.-] [\p{Lu}-] []a] [^]a] [a-] [-a] [[a] [^\D\d] [[:alpha:]] [[:^digit:]]
  [[:cntrl:]] [\P{ASCII}a] [a\]b] [\d-z] \C \8 \1 \e \u0041 \p{Nope} [[:nope:]] [z-a] [\b] [a`);
const edges = oneOf(String.raw`^ $ \b \B \A \z \Z`);
const repetitions = oneOf('* + ? {2} {0,2} {1,} *? +? ?? {2}? {,2} ** {2}{3} {2,1} {1001}');
const openings = oneOf(
  '( (?: (?i: (?s: (?m: (?U: (?-i: (?im-s: (?P<n> (?<m> (?= (?! (?<= (?P<1a> (?x: (?P=n) (?#c) (?i-: (?i)( (?U)( (?s)(',
);
const repeated = (part: fc.Arbitrary<string>) =>
  fc.tuple(part, fc.option(repetitions, { nil: '', freq: 1 })).map((both) => both.join(''));

const { pattern } = fc.letrec<{ pattern: string; sequence: string; part: string }>((tie) => ({
  pattern: fc.array(tie('sequence'), { minLength: 1, maxLength: 2 }).map((all) => all.join('|')),
  sequence: fc.array(tie('part'), { maxLength: 3 }).map((all) => all.join('')),
  part: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    repeated(pieces),
    edges,
    repeated(fc.tuple(openings, tie('pattern')).map(([open, inner]) => `${open}${inner})`)),
  ),
}));

const characters = ['\u212a', '\u017f', ' ', '\n', '\t', '\v', ...Array.from('abKksé1_-.]{ÉαΑ')];
const text = fc.array(fc.constantFrom('😀', ...characters), { maxLength: 8 }).map((all) => all.join(''));

/**
 * Patterns with everything that RE2 supports and much that it does not, each with texts to search
 * in.
 */
export const madeUpPatterns = fc.record({
  pattern,
  texts: fc.array(text, { minLength: 6, maxLength: 6 }).map((texts) => ['', ...texts]),
});
