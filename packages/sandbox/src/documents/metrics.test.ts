import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { admin } from '../authentication/authenticator.ts';
import { createSandbox } from '../sandbox.ts';

const started = () => createSandbox({ name: 'metrics', clock: createVirtualClock({ startMs: 0 }) });

describe('/metrics', () => {
  it('counts the stored objects of each resource, and names the version, as Prometheus reads it', async () => {
    const sandbox = started();
    const { status, contentType, body } = await sandbox.answer(
      { method: 'GET', path: '/metrics' },
      { kind: 'user', user: admin },
    );
    expect([status, contentType]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    const lines = (typeof body === 'string' ? body : '').trimEnd().split('\n');
    expect(lines).toContain('apiserver_resource_objects{group="",resource="namespaces"} 4');
    expect(lines).toContain('apiserver_resource_objects{group="batch",resource="jobs"} 0');
    expect(lines.filter((line) => !/^(# (HELP|TYPE) \w+ |\w+\{\w+="[^"]*"(,\w+="[^"]*")*\} \d+$)/.test(line))).toEqual(
      [],
    );
    expect(lines.filter((line) => line.includes('resource="events"'))).toHaveLength(1);
  });

  it('are for those who may read them', async () => {
    const user = { username: 'jane', groups: ['system:authenticated'] };
    const answer = await started().answer({ method: 'GET', path: '/metrics' }, { kind: 'user', user });
    expect(answer.status).toBe(403);
  });
});
