import type { Plan } from '@isthmus/upgrade';
import { clustersText } from '../output/findings.ts';
import { soakText } from './soak-text.ts';

type Spec = Plan['spec'];

/**
 * The summary that a user reads before signing a plan: the changes and their places, the waves, and
 * the findings against it. At most about twenty lines.
 */
export function summaryText(spec: Spec): string {
  return ['Summary:', ...summaryLines(spec).map((one) => `  ${one}`)].join('\n');
}

/** The lines of the summary: each complete by itself. */
export function summaryLines(spec: Spec): readonly string[] {
  return [
    clustersLine(spec),
    ...limited(componentLines(spec), 6, 'components'),
    ...limited(waveLines(spec), 7, 'groups'),
    ...timeLine(spec),
    ...interruptionLine(spec),
    ...noReturnLine(spec),
    ...findingLines(spec),
  ];
}

function clustersLine({ snapshot, changes, leftOut, skipped }: Spec): string {
  const moving = new Set(changes.filter(({ steps }) => steps.length > 0).flatMap(({ cluster }) => cluster ?? []));
  const blocked = new Set(leftOut.map(({ cluster }) => cluster));
  const alone = new Set(skipped.flatMap(({ cluster, component }) => (component === undefined ? (cluster ?? []) : [])));
  const others = [...alone].filter((one) => !blocked.has(one));
  const parts = [
    `${moving.size} of ${snapshot.clusters.length} clusters are upgraded`,
    ...(blocked.size > 0 ? [`blocked and left out: ${clustersText([...blocked])}`] : []),
    ...(others.length > 0 ? [`skipped: ${clustersText(others)}`] : []),
  ];
  return parts.join('; ');
}

/** One line for each component: how many clusters, from which versions. */
function componentLines({ changes }: Spec): readonly string[] {
  const moving = changes.filter(({ steps }) => steps.length > 0);
  return [...Map.groupBy(moving, ({ displayName, to }) => `${displayName} to ${to.version}`)].map(([what, some]) => {
    const from = [
      ...new Set(some.flatMap((one) => (one.from.versions.length > 0 ? one.from.versions : [one.from.version]))),
    ];
    const shown =
      from
        .filter((one) => one !== '')
        .slice(0, 4)
        .join(', ') || 'nothing';
    return `${what} in ${count(some.length, 'place')}, from ${shown}${from.length > 4 ? ' and others' : ''}`;
  });
}

/**
 * One line for each group, in the order of the plan: how many clusters in how many waves, and how
 * many steps.
 */
function waveLines({ steps, estimates }: Spec): readonly string[] {
  return [...Map.groupBy(steps, ({ id, group }) => `${id.split('.')[0] ?? ''}. ${group}`)].map(([title, some]) => {
    const clusters = new Set(some.flatMap(({ cluster }) => cluster ?? []));
    const waves = [...Map.groupBy(some, ({ wave }) => wave)].filter(([wave]) => wave > 0);
    const sizes = waves.map(([, own]) => new Set(own.flatMap(({ cluster }) => cluster ?? [])).size);
    const inWaves = sizes.length < 2 ? '' : ` in ${sizes.length} waves of ${sizes.join(', ')}`;
    // Programs of users run outside of clusters.
    const where = clusters.size === 0 ? '' : `, ${count(clusters.size, 'cluster')}`;
    const soak = soakText(some);
    const between = soak === undefined ? '' : `; ${soak} after each wave but the last`;
    return `${title}: ${count(some.length, 'step')}${where}${inWaves}${between}${timesText(title, estimates, soak)}`;
  });
}

/** How long the rollouts of a group take, wave by wave, with what follows them. */
function timesText(title: string, estimates: Spec['estimates'], soak: string | undefined): string {
  const own = estimates.filter(({ id }) => id.split('.')[0] === title.split('.')[0]);
  if (own.every(({ rollouts, notRecorded }) => rollouts === notRecorded)) return '';
  return `; ${soak === undefined ? 'rollouts' : 'rollouts and soak'} ${own.map((one) => `${one.notRecorded > 0 ? 'at least ' : ''}${durationText(one.seconds)}`).join(', ')}`;
}

/** The known duration of the rollouts as a whole; nothing is guessed. */
function timeLine({ steps, estimates }: Spec): readonly string[] {
  const rollouts = steps.filter(({ effects }) => effects.length > 0).length;
  if (rollouts === 0) return [];
  const missing = estimates.reduce((sum, { notRecorded }) => sum + notRecorded, 0);
  const recorded = estimates.length === 0 ? 0 : rollouts - missing;
  if (recorded === 0) return ['Time not estimated: the snapshot has no recorded times of rollouts'];
  return missing === 0
    ? ['Times are from earlier rollouts; checks, hooks and other steps are not included']
    : [
        `Times are from earlier rollouts; ${missing} of ${count(rollouts, 'rollout')} have none, and checks, hooks and other steps are not included`,
      ];
}

/** `40 s`, `12 min`, `1 h 5 min`. */
function durationText(seconds: number): string {
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function interruptionLine({ steps }: Spec): readonly string[] {
  const sentences = [...new Set(steps.flatMap(({ interrupts }) => interrupts))];
  if (sentences.length === 0) return [];
  const more = sentences.length > 2 ? ` (and ${sentences.length - 2} more, see the steps)` : '';
  return [`Meanwhile: ${sentences.slice(0, 2).join(' ')}${more}`];
}

function noReturnLine({ pointOfNoReturn, steps }: Spec): readonly string[] {
  if (steps.length === 0) return [];
  return [
    pointOfNoReturn === undefined
      ? 'No point of no return; a plan to the earlier bundle shows which components support a downgrade'
      : `No way back from step ${pointOfNoReturn.step} on: ${pointOfNoReturn.reasons[0] ?? ''}`,
  ];
}

function findingLines({ findings, waived, idleWaivers, notExamined }: Spec): readonly string[] {
  const rulesOf = (severity: string) => {
    const own = findings.filter((one) => one.severity === severity);
    return { many: own.length, rules: [...new Set(own.map(({ rule }) => rule))].toSorted() };
  };
  const [block, warn] = [rulesOf('block'), rulesOf('warn')];
  return [
    ...(block.many > 0 ? [`${count(block.many, 'blocking finding')}: ${rulesText(block.rules)}`] : []),
    ...(warn.many > 0 ? [`${count(warn.many, 'warning')}: ${rulesText(warn.rules)}`] : []),
    ...(waived.length > 0 ? [`${count(waived.length, 'finding')} waived`] : []),
    ...(idleWaivers.length > 0
      ? [`${count(idleWaivers.length, 'waiver')} that ${idleWaivers.length === 1 ? 'accepts' : 'accept'} nothing`]
      : []),
    ...(notExamined.length > 0
      ? [`${count(notExamined.length, 'artifact')} not examined: pass them with --manifests`]
      : []),
  ];
}

function rulesText(rules: readonly string[]): string {
  return `${rules.slice(0, 5).join(', ')}${rules.length > 5 ? ` and ${count(rules.length - 5, 'more rule')}` : ''}`;
}

function limited(lines: readonly string[], most: number, what: string): readonly string[] {
  return lines.length <= most ? lines : [...lines.slice(0, most - 1), `and ${lines.length - most + 1} more ${what}`];
}

function count(many: number, what: string): string {
  return `${many} ${what}${many === 1 ? '' : 's'}`;
}
