import { errorMessage, printYaml, textTable } from '@isthmus/machinery';
import { fillIn, orderedFindings, wantedArtifacts } from '@isthmus/upgrade';
import type { Finding, ResolvedArtifact, WantedArtifact } from '@isthmus/upgrade';
import { documentText } from '../../../render/document-text.ts';
import type { GivenFlags } from '../../../command/flag.ts';
import { ExitCode } from '../../../command/exit-code.ts';
import type { Io } from '../../../world/io.ts';
import { stepsOnTerminal } from '../../../render/steps.ts';
import { UsageError } from '../../../command/usage-error.ts';
import { durationSeconds } from '../../flags/duration.ts';
import { readText } from '../../input/read-input.ts';
import { exitOf, findingsText, styledFindings } from '../../output/findings.ts';
import { readBundle, shownAt } from '../read-bundle.ts';
import { authoritiesIn } from './authorities.ts';
import type { Sources } from './content.ts';
import { contentOf } from './content.ts';
import { anonymous, readDockerConfig } from './docker-config.ts';
import { mirrorsIn } from './mirrors.ts';
import type { Mirrors } from './mirrors.ts';
import { createRegistries } from './registry.ts';
import type { ResolvedImage } from './registry.ts';
import type { resolveFlags } from './resolve-flags.ts';
import { createWeb } from './web.ts';

type ResolveFlags = GivenFlags<typeof resolveFlags>;

/**
 * Resolves the artifacts of the bundle in a file, and prints the bundle with the results. Artifacts
 * that cannot be resolved are reported; the results of the others are kept, also if the user stops
 * the command.
 */
export async function resolveFile(io: Io, path: string, flags: ResolveFlags): Promise<ExitCode> {
  const limits = limitsOf(flags);
  const mirrors = mirrorsIn(flags.mirror);
  const input = await readBundle(io, path);
  const wanted = wantedArtifacts(input.bundle, { isAll: flags.verify ?? false });
  if (flags['dry-run'] === true) {
    const requests = requestsFor(wanted, mirrors);
    io.stdout.write(
      flags.output === undefined ? requestsText(requests) : documentText({ locations: requests }, flags.output),
    );
    return ExitCode.ok;
  }
  const config = flags['registry-config'];
  const credentialFor = config === undefined ? anonymous : readDockerConfig(await readText(io, config), config);
  const web = createWeb(io, await authoritiesIn(io, flags['certificate-authority']));
  const registries = createRegistries({
    web,
    credentialFor,
    mirrors,
    sha256: (bytes) => io.bundleCrypto.sha256OfBytes(bytes),
  });
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const outcomes = await allOutcomes(io, wanted, { web, registries, mirrors, folder }, limits).finally(() =>
    web.close(),
  );

  const resolved = new Map<string, ResolvedArtifact>();
  for (const [{ uri }, { found }] of outcomes) if (found !== undefined) resolved.set(uri, found);
  const { written, filled, lostSignature } = fillIn(input.written, resolved);
  const findings = orderedFindings([...outcomes].flatMap(([one, outcome]) => [...findingsOf(one, outcome)]));
  io.stdout.write(flags.output === 'json' ? documentText(written.json as object, 'json') : printYaml(written.json));
  const failed = [...outcomes.values()].filter(({ found }) => found === undefined).length;
  const parts = [
    wanted.length === 0
      ? 'every artifact has a digest'
      : `${wanted.length - failed} of ${wanted.length} locations resolved, ${filled} artifacts completed`,
    ...(lostSignature ? ['the signature is left out, because it does not cover what was added: sign the result'] : []),
  ];
  io.stderr.write(`${parts.join('; ')}.\n`);
  if (findings.length > 0) {
    io.stderr.write(...styledFindings(findingsText(findings.map((one) => shownAt(input, one)))));
  }
  return exitOf(findings);
}

interface Limits {
  readonly concurrency: number;
  readonly timeoutMs: number;
}

function limitsOf({ concurrency = 8, timeout = '2m' }: ResolveFlags): Limits {
  if (concurrency < 1 || concurrency > 64)
    throw new UsageError(`--concurrency ${concurrency}: it must be between 1 and 64`);
  const seconds = durationSeconds(timeout, '--timeout');
  if (seconds < 1 || seconds > 86_400) throw new UsageError(`--timeout ${timeout}: it must be between 1s and 24h`);
  return { concurrency, timeoutMs: seconds * 1000 };
}

/** The result for a location. */
interface Outcome {
  readonly found?: ResolvedImage | undefined;
  readonly why?: string | undefined;
}

/**
 * Requests all of them, several at once, and waits for each. After a signal that asks to end,
 * unfinished ones are left out.
 */
async function allOutcomes(
  io: Io,
  wanted: readonly WantedArtifact[],
  sources: Sources,
  { concurrency, timeoutMs }: Limits,
): Promise<ReadonlyMap<WantedArtifact, Outcome>> {
  const outcomes = new Map<WantedArtifact, Outcome>();
  const stop = new AbortController();
  const unsubscribe = io.onStop((signal) => stop.abort(new Error(`the command was stopped (${signal})`)));
  const queue = [...wanted];
  const worker = async () => {
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
      outcomes.set(one, await outcomeOf(io, one, sources, { stop: stop.signal, timeoutMs }));
    }
  };
  try {
    const work = () => Promise.all(Array.from({ length: concurrency }, worker));
    await stepsOnTerminal(io)(`ask for ${wanted.length} locations`, work);
  } finally {
    unsubscribe();
  }
  return new Map(wanted.map((one) => [one, outcomes.get(one) ?? {}]));
}

async function outcomeOf(
  io: Io,
  one: WantedArtifact,
  sources: Sources,
  { stop, timeoutMs }: { readonly stop: AbortSignal; readonly timeoutMs: number },
): Promise<Outcome> {
  const limit = new AbortController();
  const cancel = io.clock.after(timeoutMs, () => limit.abort(new Error(`no answer within ${timeoutMs / 1000} s`)));
  const signal = AbortSignal.any([stop, limit.signal]);
  try {
    signal.throwIfAborted();
    return { found: await contentOf(io, one, sources, signal) };
  } catch (error) {
    return { why: errorMessage(error) };
  } finally {
    cancel();
  }
}

function* findingsOf({ uri, places }: WantedArtifact, { found, why }: Outcome): Iterable<Finding> {
  for (const { component, name, path, digest } of places) {
    const subject = { component, path };
    if (found === undefined) {
      yield {
        rule: 'bundle.unresolved',
        severity: 'block',
        subject,
        why: `cannot resolve ${name} of ${component} at ${uri}: ${why ?? 'unknown'}`,
        unblock: 'remove the cause and pass the printed bundle to this command again, or add the digest yourself',
      };
    } else if (digest !== undefined && digest !== found.digest) {
      yield {
        rule: 'bundle.digest-differs',
        severity: 'block',
        subject: { component, path: `${path}.digest` },
        why: `${name} of ${component} at ${uri} has the digest ${found.digest}, but the bundle has ${digest}, which was kept`,
        unblock: 'find out which content was tested; a location whose content changes should not be used',
      };
    } else if (found.withoutSize !== undefined) {
      yield {
        rule: 'bundle.no-size',
        severity: 'warn',
        subject,
        why: `the digest of ${name} of ${component} is known, but not its size: ${found.withoutSize}`,
        unblock: 'pass the printed bundle to this command again with --verify, or plan without the size',
      };
    }
  }
}

/** A location that would be asked for, and the server. */
interface LocationRequest {
  readonly from: string;
  readonly location: string;
  /** How many artifacts of the bundle it has. */
  readonly artifacts: number;
}

function requestsFor(wanted: readonly WantedArtifact[], mirrors: Mirrors): readonly LocationRequest[] {
  return wanted.map(({ uri, source, places }) => ({
    from: placeText(source, mirrors),
    location: uri,
    artifacts: places.length,
  }));
}

/** The requests that would be made: one line for each location. */
function requestsText(requests: readonly LocationRequest[]): string {
  if (requests.length === 0) return 'Every artifact has a digest: nothing would be looked up.\n';
  const rows = requests.map(({ from, location, artifacts }) => [from, location, `${artifacts}`]);
  const count = `${requests.length} locations. Nothing was looked up.`;
  return `${[...textTable([['FROM', 'LOCATION', 'ARTIFACTS'], ...rows]), count].join('\n')}\n`;
}

function placeText(source: WantedArtifact['source'], mirrors: Mirrors): string {
  if (source.kind === 'image') return mirrors.registryOf(source.reference).host;
  if (source.kind === 'url') return mirrors.urlOf(source.url).host;
  return source.kind === 'file' ? 'the folder of the bundle' : `nowhere: ${source.problem}`;
}
