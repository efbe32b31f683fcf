import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '@isthmus/fleet-sim';
import { ApiError, ConnectionError } from '../client/errors.ts';
import { statusOfRefusal } from '../client/refusal.ts';
import type { LogOptions } from './create-log.ts';
import { createLog, levelOfVerbosity } from './create-log.ts';

function logTo(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const clock = createVirtualClock({ startMs: Date.UTC(2026, 10, 21, 12, 30, 5, 7) });
  const log = createLog({ destination: { write: (line) => void lines.push(line) }, clock, ...options });
  const fields = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { log, lines, fields };
}

describe('createLog', () => {
  it('writes one JSON object per line: time of the clock, level, message, fields', () => {
    const { log, lines } = logTo();
    log
      .with({ controller: 'export' })
      .info('published endpoints', { service: { namespace: 'shop', name: 'cart' }, count: 2 });
    expect(lines).toEqual([
      '{"level":"info","time":"2026-11-21T12:30:05.007Z","controller":"export","service":{"namespace":"shop","name":"cart"},"count":2,"message":"published endpoints"}\n',
    ]);
  });

  it('leaves out what is below its level', () => {
    const { log, fields } = logTo({ level: 'warn' });
    log.debug('1');
    log.info('2');
    log.warn('3');
    log.error('4', new Error('x'));
    expect(fields().map(({ message }) => message)).toEqual(['3', '4']);
  });

  it.each([
    [0, 'info'],
    [3, 'info'],
    [4, 'debug'],
    [10, 'debug'],
  ])('takes --v=%d as %s', (verbosity, level) => {
    expect(levelOfVerbosity(verbosity)).toBe(level);
  });

  it('writes an error with its causes on one line, and where it came from', () => {
    const { log, fields } = logTo();
    log.error('reconcile failed', new Error('update services shop/cart', { cause: new Error('reset by peer') }));
    log.error('reconcile failed', 'just a text');
    expect(fields()[0]).toMatchObject({
      error: 'update services shop/cart: reset by peer',
      stack: expect.stringMatching(/^at .*create-log\.test/),
    });
    expect(fields()[1]).toMatchObject({ error: 'just a text' });
  });

  it.each([
    ['an API server', new ApiError({ verb: 'get', resource: 'services' }, statusOfRefusal(403, ''))],
    ['a connection', new ConnectionError({ verb: 'get', resource: 'services' }, 'refused', 'connection refused')],
    ['the operating system', Object.assign(new Error('listen EADDRINUSE'), { errno: -98, syscall: 'listen' })],
  ])('writes no stack for an error of %s, nor for what it caused', (_, outside) => {
    const { log, fields } = logTo();
    log.error('reconcile failed', outside);
    log.error('the controller has failed', new Error('cannot start', { cause: outside }));
    expect(fields().map(({ error, stack }) => [typeof error, stack])).toEqual([
      ['string', undefined],
      ['string', undefined],
    ]);
  });

  it('replaces a field of `with` by one of the line, and keeps names apart that the line needs itself', () => {
    const { log, lines, fields } = logTo();
    log
      .with({ key: 'a', attempt: 1 })
      .with({ key: 'b' })
      .info('x', { attempt: 2, message: 'mine', level: 'mine', time: 'mine' });
    expect(fields()[0]).toMatchObject({
      key: 'b',
      attempt: 2,
      message: 'x',
      message_: 'mine',
      level: 'info',
      level_: 'mine',
      time_: 'mine',
    });
    expect(lines[0]?.match(/"attempt"/g)).toHaveLength(1);
  });

  it('writes readable lines, which hostile texts can not forge or colour', () => {
    const { log, lines } = logTo({ format: 'text', level: 'debug' });
    log.info('started', { port: 8080, host: 'a b', empty: '', ref: { name: 'x' } });
    log.warn('odd\nname', { name: 'x\n12:00:00 error forged\u001b[31m\u2028' });
    log.debug('quiet');
    expect(lines).toEqual([
      '12:30:05.007 info  started port=8080 host="a b" empty="" ref={"name":"x"}\n',
      '12:30:05.007 warn  odd\\u000aname name="x\\n12:00:00 error forged\\u001b[31m\\u2028"\n',
      '12:30:05.007 debug quiet\n',
    ]);
  });

  it('indents where an error came from below the readable line', () => {
    const { log, lines } = logTo({ format: 'text' });
    log.error('failed', new Error('why'));
    expect(lines[0]).toMatch(/^12:30:05\.007 error failed error=why\n {4}at .*\n/);
  });
});
