// DNS queries of the Pods of a Node, on lines: the program in the network of the Node hands them on
// to the process that knows the names.

/** The beginning of lines about names; other lines are about probes. */
export const namesWord = 'names ';

export interface NamesQuery {
  readonly number: number;
  readonly transport: 'udp' | 'tcp';
  readonly message: string;
}

export interface NamesAnswer {
  readonly number: number;
  /** Undefined: the query is not answered. */
  readonly message?: string | undefined;
}

export type AnswerNames = (message: Uint8Array, transport: 'udp' | 'tcp') => Uint8Array | undefined;

/**
 * Reads a line of the program, and writes the answer if it is a query. False: it is another line.
 */
export function answerLine(line: string, answer: AnswerNames, write: (line: string) => void): boolean {
  if (!line.startsWith(namesWord)) return false;
  const { number, transport, message } = JSON.parse(line.slice(namesWord.length)) as NamesQuery;
  const found = answer(Buffer.from(message, 'base64'), transport);
  const answered: NamesAnswer = {
    number,
    ...(found !== undefined && { message: Buffer.from(found).toString('base64') }),
  };
  write(`${namesWord}${JSON.stringify(answered)}\n`);
  return true;
}
