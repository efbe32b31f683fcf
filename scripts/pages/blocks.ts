import type { Token } from 'marked';
import { lexer } from 'marked';

/** A block of code in a page, fenced or indented. */
export interface Block {
  /** The nearest heading above it. */
  readonly heading: string;
  /** Its place below that heading, from 1. */
  readonly number: number;
  /** The word behind the fence, `sh` for example; undefined: an indented block. */
  readonly info: string | undefined;
  /** As printed, without the indentation of a list and with a line break at the end. */
  readonly text: string;
}

/** The blocks of a page of Markdown, in their order. */
export function blocksOf(page: string): readonly Block[] {
  const found: Block[] = [];
  let heading = '';
  const collect = (tokens: readonly Token[]): void => {
    for (const token of tokens) {
      if (token.type === 'heading') heading = String(token['text']);
      else if (token.type === 'code') {
        const number = found.filter((block) => block.heading === heading).length + 1;
        const info = token['codeBlockStyle'] === 'indented' ? undefined : String(token['lang'] ?? '');
        found.push({ heading, number, info, text: `${String(token['text']).trimEnd()}\n` });
      } else if (token.type === 'list') for (const item of token['items'] as readonly Token[]) collect([item]);
      else if ('tokens' in token && token.tokens !== undefined) collect(token.tokens);
    }
  };
  collect(lexer(page));
  return found;
}
