/** The number that kubectl reads in a plain scalar, or the text itself where it reads none. */
export function kubectlNumber(text: string): number | string {
  if (/^[-+]?\.(?:inf|Inf|INF)$/.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  if (/^\.(?:nan|NaN|NAN)$/.test(text)) return NaN;
  // Underscores are ignored. A number that begins with a dot may have them only between digits.
  if (text.startsWith('.') && /(?:^|\D)_|_(?:\D|$)/.test(text)) return text;
  const plain = text.replaceAll('_', '');
  const [, sign = '', based = ''] = /^([-+]?)(0[xX][0-9A-Fa-f]+|0[bB][01]+|0[oO]?[0-7]+)$/.exec(plain) ?? [];
  if (based !== '') {
    // A leading zero alone means octal, too.
    const size = Number(/^0[0-7]/.test(based) ? `0o${based.slice(1)}` : based);
    return sign === '-' && size !== 0 ? -size : size;
  }
  if (!/^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/.test(plain)) return text;
  const value = Number(plain);
  if (value === 0) return 0;
  return Number.isFinite(value) ? value : text;
}
