// `node:http` without what nobody here uses. An import of it reads each of its exports, WebSocket too, for which Node then loads the whole of
// undici: 35 ms and 13 MB of every process (measured on Node 24.21). A `require` reads none.
import { createRequire } from 'node:module';
import type * as Http from 'node:http';

/** The parts of `node:http` that Isthmus uses. */
export const { Agent, createServer, request } = createRequire(import.meta.url)('node:http') as typeof Http;
