import { portNameErrors, portNumberErrors } from '@isthmus/machinery';
import type { Errors } from '../field-checks.ts';
import { nonNegative, optionalOneOf, problems, requiredText, when } from '../field-checks.ts';
import { forbidden, invalid, required } from '../field-rules.ts';
import type { Container, Handler, Probe } from './pod-spec.ts';

/** What is wrong with a probe, beside what only one sort of probe forbids. */
export function probeErrors(path: string, probe: Probe): Errors {
  const { terminationGracePeriodSeconds: grace } = probe;
  return [
    ...handlerErrors(path, probe, undefined),
    ...(
      ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'] as const
    ).flatMap((field) => nonNegative(`${path}.${field}`, probe[field])),
    ...when(
      grace !== undefined && grace <= 0,
      invalid(`${path}.terminationGracePeriodSeconds`, grace, 'must be greater than 0'),
    ),
  ];
}

/** What is wrong with what is done after a container's start and before its end. `graceSeconds`: the time that its Pod has to end. */
export function lifecycleErrors(
  path: string,
  lifecycle: Container['lifecycle'],
  graceSeconds: number | undefined,
): Errors {
  const { postStart, preStop } = lifecycle ?? {};
  return [
    ...(postStart === undefined ? [] : handlerErrors(`${path}.postStart`, postStart, graceSeconds)),
    ...(preStop === undefined ? [] : handlerErrors(`${path}.preStop`, preStop, graceSeconds)),
  ];
}

const kinds = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const;

function handlerErrors(path: string, handler: Handler, graceSeconds: number | undefined): Errors {
  const given = kinds.filter((kind) => handler[kind] !== undefined);
  const [first, ...more] = given;
  if (first === undefined) return [required(path, 'must specify a handler type')];
  return [
    ...actionErrors(`${path}.${first}`, first, handler, graceSeconds),
    ...more.map((kind) => forbidden(`${path}.${kind}`, 'may not specify more than 1 handler type')),
  ];
}

function actionErrors(
  path: string,
  kind: (typeof kinds)[number],
  handler: Handler,
  graceSeconds: number | undefined,
): Errors {
  switch (kind) {
    case 'exec':
      return when((handler.exec?.command ?? []).length === 0, required(`${path}.command`));
    case 'httpGet': {
      const { path: target, port, scheme, httpHeaders = [] } = handler.httpGet ?? {};
      return [
        ...requiredText(`${path}.path`, target),
        ...portErrors(`${path}.port`, port),
        ...optionalOneOf(`${path}.scheme`, scheme ?? '', ['HTTP', 'HTTPS']),
        ...httpHeaders.flatMap(({ name }) =>
          when(!headerName.test(name), invalid(`${path}.httpHeaders`, name, headerRule)),
        ),
      ];
    }
    case 'tcpSocket':
      return portErrors(`${path}.port`, handler.tcpSocket?.port);
    case 'grpc':
      return portErrors(`${path}.port`, handler.grpc?.port);
    case 'sleep': {
      const seconds = handler.sleep?.seconds ?? 0;
      const detail = `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`;
      const wrong = graceSeconds !== undefined && (seconds < 0 || seconds > graceSeconds);
      return when(wrong, invalid(path, seconds, detail));
    }
  }
}

/** A port by its number or its name. */
function portErrors(path: string, port: number | string = 0): Errors {
  return typeof port === 'number'
    ? problems(path, port, portNumberErrors(port))
    : problems(
        path,
        port,
        portNameErrors(port).map((why) => why.replace(/^(must be no more than \d+) bytes$/, '$1 characters')),
      );
}

const headerName = /^[-A-Za-z0-9]+$/;
const headerRule =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";
