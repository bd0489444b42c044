import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { createApi, valueOf } from "../shared/api.ts";
import { packageVersion } from "../shared/package-version.ts";
import { Problem, reportOf } from "../shared/problem.ts";
import { root } from "../shared/root.ts";
import { bold, print, printable, red } from "../shared/terminal.ts";
import { askHandChecks } from "./by-hand.ts";
import { checkAddress, checkInstaller } from "./check-address.ts";
import { checkDeployments, checkWaiting } from "./check-deployments.ts";
import { createCheckedProject, removeCheckedProject } from "./checked-project.ts";
import { type Checklist, createChecklist } from "./checklist.ts";
import type { ReleaseCheckOptions } from "./options.ts";
import { countText, reportText } from "./report.ts";
import { startTemporaryServer } from "./temporary-server.ts";

/** How long the request that was interrupted may take to end. */
const END_TIMEOUT_MS = 5_000;

/** Undoes something that the check has created. Safe to repeat. */
type Undo = () => Promise<void>;

/**
 * Checks an installation, and writes what it found to build/release-check.md.
 * @throws Problem if there is no token, or if a check fails
 */
export async function runReleaseCheck({ url, quick }: ReleaseCheckOptions): Promise<void> {
  const token = process.env["GANTRY_TOKEN"] ?? "";
  if (token === "")
    throw new Problem(
      "GANTRY_TOKEN is not set. Make a token, and pass it:\n  export GANTRY_TOKEN=$(npm run --silent token -- --account main --remote)",
    );
  const startedAt = Date.now();
  const interrupted = new AbortController();
  const checklist = createChecklist(interrupted.signal);
  const undos: Undo[] = [];
  const onSignal = () => interrupted.abort();
  process.once("SIGINT", onSignal).once("SIGTERM", onSignal);
  const checks = runChecks(checklist, { url, token, quick }, (undo) => void undos.push(undo));
  try {
    const aborted = new Promise<never>((_, reject) => {
      interrupted.signal.addEventListener("abort", () => reject(new Problem("The check was stopped.")));
    });
    await Promise.race([checks, aborted]);
    await askHandChecks(checklist, interrupted.signal);
  } finally {
    let errors = await undoAll(undos);
    // An interrupted check may have created something since.
    if (interrupted.signal.aborted) {
      await Promise.race([checks.catch(() => undefined), pause(END_TIMEOUT_MS)]);
      errors = await undoAll(undos);
    }
    for (const error of errors) {
      print(red(printable(reportOf(error))));
      checklist.add({
        ...{ name: "everything that was created is removed", outcome: "fails" },
        note: reportOf(error),
      });
    }
    await writeReport(checklist, url, startedAt);
  }
  if (checklist.findings.some(({ outcome }) => outcome === "fails")) throw new Problem("Some checks fail.");
}

/**
 * Undoes everything, the newest first, also after an error: a project that cannot be deleted must not leave the agent running.
 * @returns the errors
 */
export async function undoAll(undos: readonly Undo[]): Promise<unknown[]> {
  const errors: unknown[] = [];
  for (const undo of undos.toReversed())
    await undo().catch((error: unknown) => {
      errors.push(error);
    });
  return errors;
}

async function runChecks(
  checklist: Checklist,
  { url, token, quick }: ReleaseCheckOptions & { readonly token: string },
  onCreate: (undo: Undo) => void,
): Promise<void> {
  const transport = { baseUrl: url, token, fetch };
  const api = createApi(transport);
  await checkAddress(checklist, url);
  await checkInstaller(checklist, url);
  const account = await checklist.check("the token is valid", async () => {
    const { name } = valueOf(await api.getAccount(), "Reading the account");
    return { value: name, note: `account ${name}` };
  });
  // A wrong address or token would fail every following check for the same reason.
  if (account === null) return checklist.leaveOut("deployments", "the token is not valid");

  const name = `release-check-${randomBytes(3).toString("hex")}`;
  const server = await checklist.check("an agent connects", async () => {
    const value = await startTemporaryServer(api, url, name, onCreate);
    return { value, note: `as the server ${name}` };
  });
  if (server === null) return checklist.leaveOut("deployments", "there is no server");
  const projectId = await checklist.check("a project is created", async () => {
    const value = await createCheckedProject(api, server, name);
    onCreate(() => removeCheckedProject(api, value));
    return { value, note: name };
  });
  if (projectId === null) return checklist.leaveOut("deployments", "there is no project");
  const checked = { checklist, api, transport, server, projectId };
  await checkDeployments(checked);
  if (quick) checklist.leaveOut("what happens after a minute", "of --quick");
  else await checkWaiting(checked);
}

async function writeReport(checklist: Checklist, url: string, startedAt: number): Promise<void> {
  const folder = join(root, "build");
  await mkdir(folder, { recursive: true });
  const path = join(folder, "release-check.md");
  const head = { url, version: await packageVersion(), startedAt };
  await writeFile(path, reportText(head, checklist.findings));
  print();
  print(`${bold(countText(checklist.findings))}. Report: build/release-check.md`);
}
