import { parseYaml, yamlFieldLines, YamlReadError } from '@isthmus/machinery';
import {
  bundleDigest,
  bundleOfRelease,
  channelIndex,
  engineProblem,
  isEksaRelease,
  latestBundle,
  readEksaRelease,
  readFile,
} from '@isthmus/upgrade';
import type { BundleList, Finding, IndexedBundle } from '@isthmus/upgrade';
import type { OutputFormat } from '../../command/output-flag.ts';
import { documentText } from '../../render/document-text.ts';
import type { ExitCode } from '../../command/exit-code.ts';
import type { Io } from '../../world/io.ts';
import { UsageError } from '../../command/usage-error.ts';
import { fetchText } from '../input/fetch-text.ts';
import { exitOf, findingsText, styledFindings } from '../output/findings.ts';
import { readText, wrongFile } from '../input/read-input.ts';
import { isthmusVersion } from '../../version/version.ts';
import type { BundleInput } from './read-bundle.ts';
import { bundleIn } from './read-bundle.ts';

export interface LatestOptions {
  /** A file, a folder, or a URL. */
  readonly index: string;
  readonly channel?: string | undefined;
  readonly version?: string | undefined;
  readonly output: OutputFormat;
}

/**
 * Looks a bundle up in an index, fetches it, and prints it unless it differs from the index.
 * Without a version, it is the newest of the channel that is for this isthmus. Newer ones are
 * reported.
 */
export async function findLatest(io: Io, options: LatestOptions): Promise<ExitCode> {
  const place = /\.(?:ya?ml|json)$/.test(options.index)
    ? options.index
    : `${options.index.replace(/\/$/, '')}/index.yaml`;
  const list = listIn(await textAt(io, place), place);
  const channel = options.channel ?? list.channel;
  const version = options.version ?? list.latestVersion;
  const { indexed, uri, text, digest, findings } = await fetched(io, { list, channel, version, place });
  const exit = exitOf(findings);
  if (options.output === 'json') {
    const { name, number, releaseVersion, createdAt } = indexed;
    const shown = {
      bundle: name,
      number,
      channel,
      releaseVersion: releaseVersion ?? null,
      createdAt,
      uri,
      digest,
      findings,
    };
    io.stdout.write(documentText(shown, 'json'));
  } else if (options.output === 'text') {
    io.stdout.write(`${indexed.name} (number ${indexed.number}, channel ${channel}) ${digest}\n${uri}\n`);
    io.stdout.write(...styledFindings(findingsText(findings)));
  } else {
    // A bundle that differs from the index is not passed on.
    if (!findings.some(({ severity }) => severity === 'block')) io.stdout.write(text);
    if (findings.length > 0) io.stderr.write(...styledFindings(findingsText(findings)));
  }
  return exit;
}

interface Wanted {
  readonly list: BundleList;
  readonly channel: string;
  readonly version: string | undefined;
  readonly place: string;
}

interface Fetched {
  readonly indexed: IndexedBundle;
  readonly uri: string;
  readonly text: string;
  readonly digest: string;
  readonly findings: readonly Finding[];
}

/**
 * The bundle that is wanted. If only a channel is given, bundles for another isthmus are skipped
 * while there is an older one.
 */
async function fetched(io: Io, { list, channel, version, place }: Wanted): Promise<Fetched> {
  const lookUp = version === undefined ? latestBundle(list, channel) : bundleOfRelease(list, channel, version);
  if (lookUp.kind === 'none') throw new UsageError(`${place}: ${lookUp.why}`);
  const { bundle: indexed } = lookUp;
  const { uri, text } = await bundleAt(io, indexed.uri, place);
  const input = bundleIn(text, uri);
  const digest = bundleDigest(input.written, io.bundleCrypto.sha256);
  const findings = differences(indexed, input, digest, place);
  const engine = engineProblem(input.bundle, isthmusVersion);
  if (engine === undefined) return { indexed, uri, text, digest, findings };
  const subject = { object: indexed.name };
  const older = list.bundles.filter((one) => one.channel === channel && one.number < indexed.number);
  if (version !== undefined || older.length === 0 || findings.some(({ severity }) => severity === 'block')) {
    const blocked: Finding = { rule: 'bundle.engine', severity: 'block', subject, ...engine };
    return { indexed, uri, text, digest, findings: [...findings, blocked] };
  }
  const found = await fetched(io, { list: { bundles: older }, channel, version, place });
  const passedOver: Finding = { rule: 'bundle.engine', severity: 'info', subject, ...engine };
  return { ...found, findings: [...found.findings, passedOver] };
}

interface IndexList extends BundleList {
  readonly channel: string;
  /** The version if none is asked for; undefined: the one with the highest number. */
  readonly latestVersion?: string | undefined;
}

function listIn(text: string, place: string): IndexList {
  const release = eksaReleaseIn(text, place);
  if (release !== undefined) return release;
  const result = readFile(channelIndex, text, place);
  if (result.kind === 'refused') throw wrongFile(place, result.problems);
  return { bundles: result.value.spec.bundles, channel: 'stable' };
}

function eksaReleaseIn(text: string, place: string): IndexList | undefined {
  try {
    const [document] = parseYaml(text, { source: place });
    if (!isEksaRelease(document?.value)) return undefined;
    const result = readEksaRelease(document?.value, { source: place, lineOf: yamlFieldLines(text) });
    if (result.kind === 'refused') throw wrongFile(place, result.problems);
    return { bundles: result.bundles, channel: 'eks-anywhere', latestVersion: result.latestVersion };
  } catch (error) {
    // The reader of our own kind reports it with its place.
    if (error instanceof YamlReadError) return undefined;
    throw error;
  }
}

/**
 * The path or URL of a bundle, from the place of the index that names it. An index from the network
 * never names a file of this machine.
 */
/**
 * An index may come from anywhere: of this machine's files, only those in the folder of a local
 * index are read.
 */
async function bundleAt(io: Io, uri: string, place: string): Promise<{ readonly uri: string; readonly text: string }> {
  if (isUrl(place) || isUrl(uri)) {
    const base = isUrl(place) ? place : undefined;
    if (!URL.canParse(uri, base)) throw new UsageError(`${place}: ${JSON.stringify(uri)} is not a valid URL`);
    const { href } = new URL(uri, base);
    return { uri: href, text: await fetchText(io, href) };
  }
  const found = await io.readBelow(place.slice(0, place.lastIndexOf('/') + 1), uri);
  if (found.kind === 'text') return { uri: found.path, text: found.text };
  const problem = found.kind === 'missing' ? 'no such file' : 'it is not a file in the folder of the index';
  throw new UsageError(`${place}: cannot read ${JSON.stringify(uri)}: ${problem}`);
}

function textAt(io: Io, place: string): Promise<string> {
  return isUrl(place) ? fetchText(io, place) : readText(io, place);
}

function isUrl(text: string): boolean {
  return /^[a-z][-+.a-z0-9]*:\/\//i.test(text);
}

function differences(
  indexed: IndexedBundle,
  { bundle, conversion }: BundleInput,
  digest: string,
  place: string,
): readonly Finding[] {
  const findings: Finding[] = [];
  if (indexed.digest === undefined) {
    findings.push({
      rule: 'bundle.index-digest',
      severity: 'warn',
      subject: { object: indexed.name },
      why: `the index ${place} has no digest of the bundle, so its content cannot be verified`,
      unblock: `compare its digest ${digest} with one from another source`,
    });
  } else if (indexed.digest !== digest) {
    findings.push({
      rule: 'bundle.index-digest',
      severity: 'block',
      subject: { object: indexed.name },
      why: `its digest is ${digest}, but the index ${place} has ${indexed.digest}: this is not the published content`,
      unblock: 'fetch it again, or ask the publisher which is correct',
    });
  }
  const { metadata, spec } = bundle;
  const pairs: readonly (readonly [string, string | number, string | number])[] = [
    ['name', indexed.name, metadata.name],
    ['number', indexed.number, spec.number],
    ...(conversion === undefined ? [['channel', indexed.channel, spec.channel] as const] : []),
  ];
  for (const [what, expected, found] of pairs.filter(([, a, b]) => a !== b)) {
    findings.push({
      rule: 'bundle.index',
      severity: 'block',
      subject: { object: indexed.name },
      why: `its ${what} is ${found}, but the index ${place} has ${expected}`,
      unblock: 'ask the publisher which is correct',
    });
  }
  return findings;
}
