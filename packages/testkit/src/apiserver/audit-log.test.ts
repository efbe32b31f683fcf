import { expect, it } from 'vitest';
import { parseAuditLog } from './audit-log.ts';

const event = (auditID: string, more: object) =>
  `${JSON.stringify({
    auditID,
    verb: 'watch',
    requestURI: '/api/v1/services?watch=true',
    user: { username: 'system:serviceaccount:isthmus:member' },
    userAgent: 'isthmus',
    objectRef: { resource: 'services', apiVersion: 'v1' },
    ...more,
  })}\n`;

it('counts a watch once, though it has an event at its start and one at its end', () => {
  const text =
    event('a', { stage: 'ResponseStarted', responseStatus: { code: 200 } }) +
    event('b', {
      verb: 'get',
      objectRef: { apiGroup: 'apps', resource: 'deployments', namespace: 'shop', name: 'cart' },
    }) +
    event('a', { stage: 'ResponseComplete', responseStatus: { code: 200 } });
  const requests = parseAuditLog(text);
  expect(requests.map((request) => request.verb)).toEqual(['watch', 'get']);
  expect(requests[0]).toEqual({
    user: 'system:serviceaccount:isthmus:member',
    userAgent: 'isthmus',
    verb: 'watch',
    requestURI: '/api/v1/services?watch=true',
    group: '',
    resource: 'services',
    subresource: undefined,
    namespace: undefined,
    name: undefined,
    code: 200,
  });
  expect(requests[1]).toMatchObject({ group: 'apps', namespace: 'shop', name: 'cart' });
});

it('reads a path that is not a resource without a group', () => {
  const [request] = parseAuditLog(event('a', { requestURI: '/readyz', objectRef: undefined }));
  expect(request).toMatchObject({ group: undefined, resource: undefined, requestURI: '/readyz' });
});

it('leaves out a last line that is still being written', () => {
  expect(parseAuditLog(`${event('a', {})}{"auditID":"b","ve`)).toHaveLength(1);
  expect(parseAuditLog('')).toEqual([]);
});
