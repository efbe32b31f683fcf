// `node:http` without the exports that are not used here. An import of it reads each of its
// exports, including WebSocket, for which Node then loads all of undici: 35 ms and 13 MB of every
// process (measured on Node 24.21). A `require` reads no exports.
import { createRequire } from 'node:module';
import type * as Http from 'node:http';

/** The parts of `node:http` that Isthmus uses. */
export const { Agent, createServer, request } = createRequire(import.meta.url)('node:http') as typeof Http;
