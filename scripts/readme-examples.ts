/** The blocks of TypeScript in a page, in their order. */
export const examplesIn = (page: string): readonly string[] =>
  [...page.matchAll(/^```ts\n([^]*?)^```$/gm)].map((match) => match[1] ?? '');

/** The output that an example promises: the comment behind each `console.log`. */
export const promised = (example: string): readonly string[] =>
  [...example.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map((match) => match[1] ?? '');
