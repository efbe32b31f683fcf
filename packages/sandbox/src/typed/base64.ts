/**
 * Bytes as Go writes them back, or the error of the text.
 */
export type CanonicalBase64 = { readonly text: string } | { readonly problem: string };

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/**
 * Standard base64 with padding, as Go's encoding/base64 reads it: line breaks count for nothing,
 * bits beyond the last byte are dropped, and an error names the same byte.
 */
export function canonicalBase64(text: string): CanonicalBase64 {
  // The places of errors are those of bytes.
  const bytes = Buffer.from(text, 'utf8').toString('latin1');
  const corrupt = (at: number): CanonicalBase64 => ({ problem: `illegal base64 data at input byte ${at}` });
  const isBreak = (at: number) => bytes[at] === '\n' || bytes[at] === '\r';
  let held = 0;
  let at = 0;
  for (; at < bytes.length; at++) {
    const char = bytes.charAt(at);
    if (isBreak(at)) continue;
    if (alphabet.includes(char)) {
      held = (held + 1) % 4;
      continue;
    }
    if (char !== '=' || held < 2) return corrupt(at);
    let next = at + 1;
    if (held === 2) {
      while (isBreak(next)) next++;
      if (next === bytes.length) return corrupt(bytes.length);
      if (bytes[next] !== '=') return corrupt(next - 1);
      next++;
    }
    while (isBreak(next)) next++;
    if (next < bytes.length) return corrupt(next);
    held = 0;
    break;
  }
  if (held > 0) return corrupt(bytes.length - held);
  return { text: Buffer.from(bytes, 'base64').toString('base64') };
}
