import { mkdir, rename, stat } from "node:fs/promises";

import { endpointUrl, isProblem, retryAfterMs } from "#agent/lib/http/control-plane.ts";
import { receiveFile, sendFile, type TransferEnd } from "#agent/lib/http/transfer.ts";
import { retryDelayMs } from "#agent/lib/retry-delay.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import { partPath, type SealedParts } from "#build/artifact/sealed-parts.ts";
import { agentArtifactPath, bytesOfPart } from "#contract/artifact.ts";
import { pause } from "#contract/lib/pause.ts";
import { sizeText } from "#contract/lib/size-text.ts";
import { parseJson } from "#contract/parse-json.ts";
import { Problem } from "#contract/problems.ts";
import { parseKnown } from "#contract/tolerant.ts";

/**
 * `gone`: the control plane does not have the artifact. `refused`: it will not take or give it. `stopped`: the signal aborted;
 * `reason`: the last failure before, or null.
 */
export type PartsEnd =
  | { readonly kind: "done" }
  | { readonly kind: "gone" | "refused"; readonly reason: string }
  | { readonly kind: "stopped"; readonly reason: string | null };

type PartTry = TransferEnd | { readonly kind: "known" };
type Transfer = typeof sendFile;

const AT_ONCE = 3;
const PROGRESS_MS = 5_000;
const EARLY_TRIES = 5;
const EARLY_MS = 200;

/** Sends all parts in a folder, each as often as it needs. @throws the file system's error */
export async function sendParts(scope: RunScope, folder: string, sealed: SealedParts, signal: AbortSignal) {
  return await forEachPart(scope, { verb: "uploaded", stage: "build", sealed, signal }, (part, onBytes) =>
    move(scope, sendFile, { sealed, part, path: partPath(folder, part), signal, onBytes }),
  );
}

/**
 * Gets the parts that the folder does not have, each as often as it needs. A part that is there completely, also of an earlier
 * try, has the name of its number.
 * @throws the file system's error
 */
export async function receiveParts(
  scope: RunScope,
  folder: string,
  sealed: SealedParts,
  signal: AbortSignal,
) {
  await mkdir(folder, { recursive: true });
  return await forEachPart(
    scope,
    { verb: "downloaded", stage: "fetch", sealed, signal },
    async (part, onBytes) => {
      const path = partPath(folder, part);
      const found = await stat(path).catch(() => null);
      if (found?.size === bytesOfPart(sealed, part)) return { kind: "known" };
      const draft = `${path}.part`;
      const end = await move(scope, receiveFile, { sealed, part, path: draft, signal, onBytes });
      if (end.kind === "done") await rename(draft, path);
      return end;
    },
  );
}

type Moved = {
  readonly sealed: SealedParts;
  readonly part: number;
  readonly path: string;
  readonly signal: AbortSignal;
  readonly onBytes: (count: number) => void;
};

async function move(
  { context, projectId }: RunScope,
  transfer: Transfer,
  moved: Moved,
): Promise<TransferEnd> {
  const { sealed, part, path, signal, onBytes } = moved;
  const { connection, proxy, settings } = context;
  return await transfer({
    url: endpointUrl(connection.url, agentArtifactPath({ projectId, sha256: sealed.sha256, part })),
    headers: {
      authorization: `Bearer ${connection.credential}`,
      "content-type": "application/octet-stream",
    },
    ...{ proxy, path, bytes: bytesOfPart(sealed, part), idleMs: settings.transferIdleMs, signal, onBytes },
  });
}

type PartsJob = {
  readonly verb: "uploaded" | "downloaded";
  readonly stage: "fetch" | "build";
  readonly sealed: SealedParts;
  readonly signal: AbortSignal;
};

/** Moves several parts at the same time, and logs how far they are. */
async function forEachPart(
  scope: RunScope,
  { verb, stage, sealed, signal }: PartsJob,
  tryPart: (part: number, onBytes: (count: number) => void) => Promise<PartTry>,
): Promise<PartsEnd> {
  const { clock } = scope.context;
  let next = 1;
  let doneBytes = 0;
  let loggedAt = clock.monotonic();
  // The first answer that ends it stops the other parts.
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);

  const log = (): void => {
    loggedAt = clock.monotonic();
    scope.log.system(stage, `${verb} ${sizeText(doneBytes)} of ${sizeText(sealed.bytes)}`);
  };
  const onBytes = (count: number): void => {
    doneBytes += count;
    if (clock.monotonic() - loggedAt >= PROGRESS_MS) log();
  };

  async function movePart(part: number): Promise<PartsEnd> {
    let reason: string | null = null;
    for (let failures = 1; !either.aborted; failures += 1) {
      let tried = 0;
      const end = await tryPart(part, (count) => {
        tried += count;
        onBytes(count);
      });
      if (end.kind === "known") onBytes(bytesOfPart(sealed, part));
      if (end.kind === "done" || end.kind === "known") return { kind: "done" };
      doneBytes -= tried;
      const judged = judge(end);
      // The control plane may not know yet that the run has begun: its events come in another request.
      const isEarly = judged.kind === "gone" && verb === "uploaded" && failures < EARLY_TRIES;
      if (judged.kind !== "again" && !isEarly) return judged;
      if (either.aborted) break;
      ({ reason } = judged);
      if (failures === 1) scope.log.system(stage, `part ${part} is tried again: ${reason}`);
      const delayMs = retryDelayMs(failures, scope.context.random(), scope.context.settings);
      await pause(Math.max(delayMs, judged.kind === "again" ? judged.afterMs : EARLY_MS), either);
    }
    return { kind: "stopped", reason };
  }

  async function work(): Promise<PartsEnd> {
    let end: PartsEnd = { kind: "done" };
    while (end.kind === "done" && next <= sealed.parts) {
      const part = next;
      next += 1;
      end = await movePart(part);
    }
    if (end.kind !== "done") stop.abort();
    return end;
  }

  try {
    const ends = await Promise.all(Array.from({ length: Math.min(AT_ONCE, sealed.parts) }, work));
    const ended = ends.find(({ kind }) => kind === "gone" || kind === "refused");
    const end = ended ?? ends.find(({ kind }) => kind === "stopped") ?? { kind: "done" };
    if (end.kind === "done") log();
    return end;
  } finally {
    stop.abort();
  }
}

type Judged =
  | { readonly kind: "again"; readonly reason: string; readonly afterMs: number }
  | Extract<PartsEnd, { kind: "gone" | "refused" }>;

/** An answer of a proxy or a firewall says nothing about the artifact. A refused credential ends the link and then the agent. */
function judge(end: Exclude<TransferEnd, { kind: "done" }>): Judged {
  if (end.kind === "failed") return { kind: "again", reason: end.reason, afterMs: 0 };
  const { status, body, headers } = end;
  const afterMs = retryAfterMs(headers["retry-after"]);
  if (!isProblem(body) || status >= 500 || [401, 408, 425, 429].includes(status))
    return { kind: "again", reason: `the control plane answered ${status}`, afterMs };
  const problem = parseKnown(Problem, parseJson(body));
  const reason = problem.success ? problem.data.detail : `the control plane answered ${status}`;
  return { kind: status === 404 || status === 410 ? "gone" : "refused", reason };
}
