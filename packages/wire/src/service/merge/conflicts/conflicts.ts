import { firstSentences, partialPortSentence, sentenceOf } from './conflict-message.ts';
import type { ReadExport } from '../exporter.ts';
import { fieldRules } from '../fields/merge-fields.ts';
import type { FieldRule } from '../fields/merge-fields.ts';
import type { PortClaim, PortUnion, ServicePort } from '../ports/merge-ports.ts';
import type { ConflictReason } from '../conflict-reasons.ts';
import type { ConflictCondition } from '../types.ts';

/**
 * The condition Conflict, which is the same for every exporter of the Service, whichever one caused
 * it (docs/spec/mcs-api.md §2). `reason` joins the reasons by commas in a fixed order; `message`
 * has at least one sentence per reason, joined by `. `.
 *
 * Guarantees: `reason` stays far under the API server's 1024 characters with all reasons together.
 * `message` stays under the API server's 32768 whatever the exports contain, because every list in
 * it is cut and ends with a count.
 */
export function conflictCondition(exporters: readonly ReadExport[], unions: readonly PortUnion[]): ConflictCondition {
  const ports = portSentences(exporters, unions);
  const [first, ...others]: readonly Conflict[] = [
    ...(ports.length === 0 ? [] : [{ reason: 'PortConflict' as const, sentences: ports }]),
    ...fieldRules.flatMap((rule) => {
      const sentence = fieldSentence(exporters, rule);
      return sentence === undefined ? [] : [{ reason: rule.reason, sentences: [sentence] }];
    }),
  ];
  if (first === undefined) {
    return noConflicts;
  }
  return {
    type: 'Conflict',
    status: 'True',
    reason: others.length === 0 ? first.reason : `${first.reason},${others.map(({ reason }) => reason).join(',')}`,
    message: [first, ...others].flatMap(({ sentences }) => sentences).join('. '),
  };
}

/**
 * The condition of exporters that do not contradict each other; a single exporter never contradicts
 * itself.
 */
export const noConflicts = {
  type: 'Conflict',
  status: 'False',
  reason: 'NoConflicts',
  message: 'All exports of the Service agree',
} as const satisfies ConflictCondition;

interface Conflict {
  readonly reason: ConflictReason;
  readonly sentences: readonly string[];
}

/**
 * Empty if all exporters have the same ports. If ports contradict each other, only that is
 * reported. Ports that some exporters merely lack are reported only without a contradiction.
 */
function portSentences(exporters: readonly ReadExport[], unions: readonly PortUnion[]): readonly string[] {
  const contradictions = unions.flatMap((union) => contradictionsAbout(union, exporters.length));
  if (contradictions.length > 0) return firstSentences(contradictions, 'contradictions between ports');
  const partial = unions.filter((union) => union.exposedBy.length < exporters.length);
  const sentences = partial.map((union) => {
    const exposers = union.exposedBy.map((claim) => claim.exporter);
    return partialPortSentence(
      `${capitalised(portName(union.port))} ${number(union.port)}`,
      exposers,
      exporters.length,
    );
  });
  return firstSentences(sentences, 'ports are not exposed by all');
}

function contradictionsAbout(union: PortUnion, total: number): readonly string[] {
  const { port, exposedBy, nameClashes, numberClashes } = union;
  const winner = exposedBy[0];
  if (winner === undefined) return [];
  const otherAppProtocol = exposedBy.filter((claim) => claim.port.appProtocol !== port.appProtocol);
  const sentenceAbout = (
    what: string,
    claims: readonly PortClaim[],
    valueOf: (port: ServicePort) => string,
    used: boolean,
  ) => {
    if (claims.length === 0) return [];
    const losers = claims.map((claim) => ({ exporter: claim.exporter, value: valueOf(claim.port) }));
    const unused = used ? undefined : { exporters: claims.map((claim) => claim.exporter), where: ' for it' };
    return [sentenceOf({ what, winner: winner.exporter, value: valueOf(port), losers, unused }, total)];
  };
  return [
    ...sentenceAbout(capitalised(portName(port)), nameClashes, number, false),
    ...sentenceAbout(
      `Port ${number(port)}`,
      numberClashes,
      (each) => (each.name === '' ? 'unnamed' : each.name),
      false,
    ),
    ...sentenceAbout(
      `The appProtocol of ${portName(port)}`,
      otherAppProtocol,
      (each) => each.appProtocol ?? 'not set',
      true,
    ),
  ];
}

function fieldSentence(exporters: readonly ReadExport[], rule: FieldRule): string | undefined {
  const winner = exporters[0];
  if (winner === undefined) return undefined;
  const value = rule.key(winner.fields);
  const losers = exporters.flatMap((exporter) => {
    const other = rule.key(exporter.fields);
    return other === value ? [] : [{ exporter, value: other }];
  });
  if (losers.length === 0) return undefined;
  const unused =
    rule.reason === 'TypeConflict'
      ? { exporters: exporters.filter((exporter) => !canServe(exporter, winner)), where: '' }
      : undefined;
  return sentenceOf(
    { what: rule.what, winner, value: rule.showsValue ? value : undefined, losers, unused },
    exporters.length,
  );
}

/**
 * Whether the endpoints of `exporter` can be used under the type that the oldest export decides. A
 * headless Service resolves to Pods, so ClusterIPs cannot be used there. Under ClusterSetIP, the
 * Pod IPs of a headless export can be used like ClusterIPs.
 */
export function canServe(exporter: ReadExport, oldest: ReadExport): boolean {
  return oldest.fields.type !== 'Headless' || exporter.hasPodIPs;
}

function portName(port: ServicePort): string {
  return port.name === '' ? 'the unnamed port' : `port ${port.name}`;
}

/** The text as the beginning of a sentence. */
function capitalised(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function number(port: ServicePort): string {
  return `${port.protocol} ${port.port}`;
}
