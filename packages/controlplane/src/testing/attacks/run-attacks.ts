import type { Client } from '@isthmus/kube';
import { ApiError } from '@isthmus/kube';
import type { Attack, Attacker, Course, Report, Write } from './attack.ts';
import { attackerOf } from './attack.ts';
import type { AttackedFleet } from './attacked-fleet.ts';
import { prepareAttacker, prepareClusters } from './prepare.ts';
import type { SeenReports } from './seen-reports.ts';
import { createSeenReports } from './seen-reports.ts';
import type { Change, Snapshot } from './snapshot.ts';
import { changesOf, snapshotOf } from './snapshot.ts';
import { beyondQuotas, outsideOfGrant } from './within-grant.ts';

/** How long nothing may change after the last attack is named. */
const quietMs = 3_000;
const lookMs = 250;

/** What went wrong in each attack, and changes that no attack is known for. */
export interface Findings {
  readonly ofAttack: ReadonlyMap<Attack, readonly string[]>;
  readonly others: readonly string[];
}

interface Run {
  readonly attack: Attack;
  readonly attacker: Attacker;
  readonly client: Client;
}

/** Runs attacks side by side, each with the token of another member. */
export async function runAttacks(fleet: AttackedFleet, attacks: readonly Attack[]): Promise<Findings> {
  await prepareClusters(fleet);
  const numbered = attacks.map((attack, index) => ({ attack, attacker: attackerOf(index + 1) }));
  const runs = await inGroups(fleet, numbered, async ({ attack, attacker }) => ({
    attack,
    attacker,
    client: await prepareAttacker(fleet, attack, attacker),
  }));
  // What the preparation has caused has arrived.
  await fleet.pass(quietMs);
  const before = await snapshots(fleet);
  const reports = createSeenReports(fleet);
  const found = await inGroups(fleet, runs, async (run) => [run, await runOne(fleet, run, reports)] as const);
  await fleet.pass(quietMs);
  const changes = [...(await snapshots(fleet))].flatMap(([id, after]) =>
    changesOf(id, before.get(id) ?? new Map(), after),
  );
  const byRun = Map.groupBy(changes, (change) => runOf(change, runs));
  const others = (byRun.get(undefined) ?? []).map(({ cluster, key }) => `${cluster}: ${key} was changed`);
  const ofAttack = new Map(
    found.map(([run, problems]) => {
      const { attack, attacker } = run;
      const caused = byRun.get(run) ?? [];
      const outside = caused.flatMap((change) => outsideOfGrant(change, attacker) ?? []);
      return [attack, [...problems, ...outside, ...beyondQuotas(caused, attack.quotas ?? {})]];
    }),
  );
  return { ofAttack, others };
}

/** The results of work, some of which is done at the same time. */
async function inGroups<T, R>(
  { sideBySide }: AttackedFleet,
  all: readonly T[],
  work: (one: T) => Promise<R>,
): Promise<readonly R[]> {
  const found: R[] = [];
  for (let at = 0; at < all.length; at += sideBySide)
    found.push(...(await Promise.all(all.slice(at, at + sideBySide).map(work))));
  return found;
}

async function snapshots({ admins }: AttackedFleet): Promise<ReadonlyMap<string, Snapshot>> {
  return new Map(await Promise.all([...admins].map(async ([id, admin]) => [id, await snapshotOf(admin)] as const)));
}

/** The attack that a change belongs to, by the names in it. */
function runOf({ key, before, after }: Change, runs: readonly Run[]): Run | undefined {
  const [id] = /m\d{3}/.exec(key) ?? /m\d{3}/.exec(JSON.stringify([before, after])) ?? [];
  return runs.find(({ attacker }) => attacker.id === id);
}

async function runOne(
  fleet: AttackedFleet,
  { attack, attacker, client }: Run,
  reports: SeenReports,
): Promise<readonly string[]> {
  const course = attack.course(attacker);
  const problems = answersWrong(course, await answers(fleet, client, course.writes));
  const endMs = fleet.nowMs() + fleet.namedMs;
  const missing = new Map<Report, string>(course.reports.map((report) => [report, '']));
  for (;;) {
    await reports.look();
    for (const report of missing.keys()) {
      const { isNamed, found } = reports.read(report);
      if (isNamed) missing.delete(report);
      else missing.set(report, found);
    }
    if (missing.size === 0) return problems;
    if (fleet.nowMs() >= endMs) break;
  }
  return [...problems, ...[...missing].map(([report, found]) => notNamed(report, found, fleet))];
}

function notNamed(report: Report, found: string, { namedMs }: AttackedFleet): string {
  const { by, type, ref, condition = 'Event', reason = '', says } = report;
  const where = `${condition} of ${type.kind} ${ref.name}`;
  return `not named by the ${by} within ${namedMs} ms: ${where} ${reason} "${says}"; it has ${found}`;
}

/** All answers but the last must be acceptance. */
function answersWrong({ denied = 'accepted', writes }: Course, found: readonly string[]): readonly string[] {
  return found.flatMap((answer, at) => {
    const expected = at === writes.length - 1 ? denied : 'accepted';
    return expected.split(' or ').includes(answer)
      ? []
      : [`request ${at + 1} was answered with ${answer}, and not ${expected}`];
  });
}

async function answers(fleet: AttackedFleet, client: Client, writes: readonly Write[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const write of writes) {
    let answer = await answerTo(client, write);
    // The attacker has deleted the object, and the leader releases it a moment later.
    for (let again = 0; answer.startsWith('409') && again < 20; again++) {
      await fleet.pass(lookMs);
      answer = await answerTo(client, write);
    }
    found.push(answer);
  }
  return found;
}

/** `accepted`, `RBAC`, the name of the policy that rejects the request, or the answer. */
async function answerTo(client: Client, write: Write): Promise<string> {
  try {
    await send(client, write);
    return 'accepted';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const [, policy] = /isthmus-([a-z-]+)' with binding/.exec(error.message) ?? [];
    return error.code === 403 ? (policy ?? 'RBAC') : `${error.code} ${error.message.slice(0, 300)}`;
  }
}

async function send(client: Client, write: Write): Promise<void> {
  switch (write.verb) {
    case 'create':
      return void (await client.create(write.type, write.object));
    case 'patch': {
      const options = write.subresource === undefined ? {} : { subresource: write.subresource };
      return void (await client.patch(write.type, write.ref, { type: 'merge', body: write.body }, options));
    }
    case 'delete':
      return void (await client.delete(write.type, write.ref));
    case 'list':
      return void (await client.list(write.type, { namespace: write.ref.namespace }));
    case 'deletecollection': {
      const { group, version, plural } = write.type;
      const path = `/apis/${group}/${version}/namespaces/${write.ref.namespace ?? ''}/${plural}`;
      return void (await client.request({ method: 'DELETE', path }));
    }
  }
}
