import { randomBytes, randomUUID } from "node:crypto";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

import { readLibc } from "#build/tools/read-libc.ts";
import { packArtifact, type Packed } from "#build/artifact/pack-artifact.ts";
import { partPath } from "#build/artifact/sealed-parts.ts";
import { createClientOf } from "#client/client.ts";
import { sendWithRetry } from "#client/send-with-retry.ts";
import { type ArtifactCommit, findArtifactCommit } from "#cli/artifacts/find-artifact-commit.ts";
import { type ArtifactSource, openArtifactSource } from "#cli/artifacts/open-artifact-source.ts";
import { createWorkFolder, type WorkFolder } from "#cli/builds/work-folder.ts";
import { type Result, stop } from "#cli/outcome.ts";
import type { Session } from "#cli/session/session.ts";
import { trustSealKeys } from "#cli/variables/trust-seal-keys.ts";
import type { Artifact, Platform } from "#contract/artifact.ts";
import { artifactEndpoints } from "#contract/endpoints/artifacts/endpoints.ts";
import type { ProjectId } from "#contract/ids.ts";
import { counted } from "#contract/lib/counted.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { succeed } from "#contract/lib/result.ts";
import { sizeText } from "#contract/lib/size-text.ts";
import { ARTIFACT_KEY_BYTES, sealArtifactKey } from "#sealing/artifact-box.ts";

/** How long one part may take, and how long it is tried again. */
const PART_MS = 600_000;
const RETRY_MS = 300_000;

export type UploadOptions = {
  readonly projectId: ProjectId;
  /** A folder or an archive. */
  readonly path: string;
  /** The value of --commit. */
  readonly commit: string | null;
  readonly acceptKeys: readonly string[];
};

/** A build that is uploaded, and its commit: what a start needs. */
export type Uploaded = { readonly artifact: Artifact; readonly commit: string };

/** Packs a build, encrypts it for the servers of the project, and uploads it. */
export async function uploadArtifact(
  session: Session,
  { projectId, path, commit: given, acceptKeys }: UploadOptions,
): Promise<Result<Uploaded>> {
  const { client, signal } = session;
  // Before anything is packed: the keys may have to be accepted first.
  const variables = await client.getVariables({ params: { project_id: projectId } });
  if (!variables.ok) return variables;
  const keys = await trustSealKeys(session, { projectId, current: variables.value, acceptKeys });
  if (!keys.ok) return keys;
  const work = await createWorkFolder();
  if (!work.ok) return work;
  try {
    const source = await openArtifactSource(path, session.folder, work.value, signal);
    if (!source.ok) return source;
    const commit = await findArtifactCommit(session, given, source.value.place);
    if (!commit.ok) return commit;
    const packed = await pack(session, { projectId, source: source.value, commit: commit.value }, work.value);
    if (!packed.ok) return packed;
    const { key, parts, build } = packed.value;
    const { sha256, bytes, parts: count, hasPrograms } = build;
    const boxes = await sealArtifactKey(keys.value, { projectId, sha256 }, key);
    if (boxes === null)
      return stop("untrusted_seal_key", "The control plane names a seal key that is not valid.");
    const sent = await uploadParts(session, projectId, build, parts);
    if (!sent.ok) return sent;
    const platform = hasPrograms ? await ownPlatform() : null;
    return succeed({ artifact: { sha256, bytes, parts: count, platform, boxes }, commit: commit.value.sha });
  } finally {
    await rm(work.value.path, { recursive: true, force: true }).catch(() => undefined);
  }
}

type ToPack = {
  readonly projectId: ProjectId;
  readonly source: ArtifactSource;
  readonly commit: ArtifactCommit;
};
type PackedHere = { readonly build: Packed; readonly parts: string; readonly key: Uint8Array<ArrayBuffer> };

async function pack(
  { signal, output }: Session,
  { projectId, source, commit }: ToPack,
  { path }: WorkFolder,
): Promise<Result<PackedHere>> {
  const key = new Uint8Array(randomBytes(ARTIFACT_KEY_BYTES));
  const parts = join(path, "parts");
  let progress = { done: 0, all: 0 };
  output.progress.show(() => `Packing ${sizeText(progress.done)} of ${sizeText(progress.all)}`);
  try {
    await mkdir(parts);
    const packed = await packArtifact({
      ...{ root: source.folder, folder: parts, key, projectId, commit, signal },
      ...{ leavesOut: () => false, release: null, home: null },
      beforePart: async () => undefined,
      onProgress: (now) => (progress = now),
    });
    if (!packed.ok) return stop("usage", `The build cannot be packed: ${packed.problem.message}.`);
    const { files, unpackedBytes, bytes } = packed.value;
    output.progress.hide();
    output.note(`Packed ${counted(files, "file")} with ${sizeText(unpackedBytes)} into ${sizeText(bytes)}.`);
    return succeed({ build: packed.value, parts, key });
  } catch (error) {
    if (signal.aborted) return stop("interrupted", "No changes were made.");
    return stop("unreadable_file", `The build cannot be packed: ${messageOf(error)}.`);
  } finally {
    output.progress.hide();
  }
}

async function uploadParts(
  session: Session,
  projectId: ProjectId,
  { sha256, bytes, parts }: Packed,
  folder: string,
): Promise<Result<null>> {
  const { output, signal, transport } = session;
  const client = createClientOf(
    artifactEndpoints,
    {
      ...transport,
      fetch: (url, init) =>
        transport.fetch(url, { ...init, signal: AbortSignal.any([signal, AbortSignal.timeout(PART_MS)]) }),
    },
    sendWithRetry({
      retryForMs: RETRY_MS,
      now: () => performance.now(),
      newKey: () => randomUUID(),
      signal,
      onWaiting: (problem) => output.note(`${problem.detail} Trying again.`),
    }),
  );
  let done = 0;
  output.progress.show(() => `Uploading ${sizeText(done)} of ${sizeText(bytes)}`);
  try {
    for (let part = 1; part <= parts; part += 1) {
      const body = new Uint8Array(await readFile(partPath(folder, part)));
      const params = { project_id: projectId, sha256, part: String(part) };
      const sent = await client.uploadArtifactPart({ params, body });
      if (!sent.ok) return sent;
      done += body.length;
      // In a job's log, which has no line that changes.
      if (!output.progress.isVisible) output.note(`Uploaded ${sizeText(done)} of ${sizeText(bytes)}.`);
    }
  } finally {
    output.progress.hide();
  }
  if (output.progress.isVisible) output.note(`Uploaded ${sizeText(bytes)}.`);
  return succeed(null);
}

/** What programs among the files need. Nothing in the files depends on a folder of the server. */
async function ownPlatform(): Promise<Platform> {
  return { os: process.platform, architecture: process.arch, libc: await readLibc(), home: null };
}
