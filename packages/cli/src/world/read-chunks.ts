import { createReadStream } from 'node:fs';
import { fileProblem } from '@isthmus/kube/world';

/** The text of a file, piece by piece. */
export type ReadChunks = (path: string) => AsyncIterable<string>;

/**
 * Reads a text file (UTF-8) of any size, about a mebibyte at a time; characters are whole. Errors
 * name the path, as those of `readFile`.
 */
export const readChunks: ReadChunks = async function* (path) {
  const decoder = new TextDecoder();
  try {
    for await (const bytes of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
      const text = decoder.decode(bytes as Uint8Array, { stream: true });
      if (text !== '') yield text;
    }
  } catch (error) {
    throw new Error(`cannot read ${path}: ${fileProblem(error)}`, { cause: error });
  }
  const rest = decoder.decode();
  if (rest !== '') yield rest;
};
