import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RealApiServer } from './api-server.ts';
import { readAuditLog } from './audit-log.ts';
import { findBinaries, locateBinaries } from './find-binaries.ts';
import { startApiServers } from './fleet.ts';
import type { RealApiServers } from './fleet.ts';
import { sendHttps } from './https.ts';
import type { HttpsRequest } from './https.ts';
import { tracesOf } from './left-behind.ts';

const send = (server: RealApiServer, request: HttpsRequest) =>
  sendHttps({ url: server.url, caData: server.caData, client: server.admin }, request, AbortSignal.timeout(10_000));

describe('three clusters', () => {
  let fleet: RealApiServers<'north' | 'east' | 'west'>;
  beforeAll(async () => {
    fleet = await startApiServers({ north: {}, east: {}, west: {} });
  });
  afterAll(() => fleet[Symbol.asyncDispose]());
