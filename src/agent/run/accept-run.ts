import { mkdir } from "node:fs/promises";

import type { AgentContext } from "#agent/context/context.ts";
import { createMask } from "#contract/mask.ts";
import { bootId } from "#build/process/process-table.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { applyMaintenance } from "#agent/ingress/maintenance.ts";
import { reportResult } from "#agent/report/report-result.ts";
import { makeFailure } from "#build/failure/make-failure.ts";
import { createReporter, type DeliveryEnd, type Reporter } from "#agent/report/reporter.ts";
import { openSpool } from "#agent/report/spool.ts";
import { createInterrupt, type Interrupt } from "#agent/step/interrupt.ts";
import type { ProjectTurns, Turn } from "#agent/run/project-turns.ts";
import { runDeployment } from "#agent/run/run-deployment.ts";
import { interruptedResult } from "#agent/run/run-result.ts";
import { orderHere } from "#agent/workspace/place.ts";
import { maskSecrets } from "#agent/secrets/mask-secrets.ts";
import { noVariables, openOrderVariables } from "#agent/secrets/open-variables.ts";
import { withToken } from "#agent/secrets/repository-token.ts";
import { createRunLog } from "#agent/run/run-log.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import { failUnexpectedly } from "#agent/step/step.ts";
import { tidyArtifacts } from "#agent/run/artifact/take-artifact.ts";
import { tidyImages } from "#agent/run/image/tidy-images.ts";
import { tidyCache } from "#agent/run/cache/tidy-cache.ts";
import { tidyMirrors } from "#agent/git/mirror/tidy-mirrors.ts";
import { projectFolder, type ProjectFolder } from "#agent/workspace/project-folder.ts";
import { openJournal, type RunJournal } from "#agent/workspace/run-journal.ts";
import type { RunOrder } from "#contract/agent-order.ts";
import type { ActiveRun } from "#contract/agent-protocol.ts";
import type { ProjectId } from "#contract/ids.ts";

/** A run that the agent has accepted. */
export type AcceptedRun = {
  readonly run: ActiveRun;
  readonly interrupt: Interrupt;
  /** Resolves when no work of the run is left except the delivery of its result. */
  readonly finished: Promise<void>;
  /** Resolves when the control plane has stored the result, or wants none. */
  readonly delivered: Promise<DeliveryEnd>;
  /** Asks for the activation permit now, if the run waits for it. */
  askAgain(): void;
  /** Stops reporting. The rest is delivered at the agent's next start. */
  abandon(): void;
};

/** Queues a run, and starts it when it is its project's turn. */
export function acceptRun(context: AgentContext, turns: ProjectTurns, order: RunOrder): AcceptedRun {
  const { project_id, deployment_id, run_id } = order;
  const run: ActiveRun = { project_id, deployment_id, run_id };
  const { interrupt, reporter } = openReport(context, run);
  const finished = Promise.withResolvers<void>();
  const parts = { run, interrupt, reporter, onFinished: finished.resolve };
  return {
    run,
    interrupt,
    finished: finished.promise,
    delivered: runAndDeliver(context, turns, order, parts),
    ...controlsOf(reporter),
  };
}

/** As `acceptRun`, for an order that cannot be read. Nothing is run, so it needs no turn and no journal. */
export function refuseRun(context: AgentContext, run: ActiveRun, problem: string): AcceptedRun {
  const { interrupt, reporter } = openReport(context, run);
  const message = `the agent cannot read the order, which a newer control plane may have sent. Install the agent that it provides. ${problem}`;
  const failure = makeFailure("internal", "fetch", message);
  const finished = reportResult(context, reporter, run.project_id, { outcome: "failed", failure });
  const delivered = finished.then(() => reporter.delivered());
  return { run, interrupt, finished, delivered, ...controlsOf(reporter) };
}

function controlsOf(reporter: Reporter): Pick<AcceptedRun, "askAgain" | "abandon"> {
  return { askAgain: () => reporter.askAgain(), abandon: () => reporter.close() };
}

function openReport(
  context: AgentContext,
  run: ActiveRun,
): { readonly interrupt: Interrupt; readonly reporter: Reporter } {
  const interrupt = createInterrupt();
  const { home, settings } = context;
  const reporter = createReporter({
    context,
    run,
    spool: openSpool(projectFolder(home, run.project_id), run.run_id, settings.maxSpoolBytes),
    firstSeq: 1,
    ackedSeq: 0,
    onInstruction: (instruction) => interrupt.raise(instruction),
  });
  return { interrupt, reporter };
}

async function tidy(scope: RunScope, wanted: AbortSignal): Promise<void> {
  await tidyArtifacts(scope);
  await tidyCache(scope);
  await tidyImages(scope, wanted);
  await tidyMirrors(scope, wanted);
}

/** git gets the project's token as the password of the repository's address. */
function orderWithToken(order: RunOrder, token: string | null): RunOrder {
  return { ...order, source: { ...order.source, repository: withToken(order.source.repository, token) } };
}

type RunParts = {
  readonly run: ActiveRun;
  readonly interrupt: Interrupt;
  readonly reporter: Reporter;
  readonly onFinished: () => void;
};

async function runAndDeliver(
  context: AgentContext,
  turns: ProjectTurns,
  received: RunOrder,
  parts: RunParts,
): Promise<DeliveryEnd> {
  const { run, interrupt, reporter, onFinished } = parts;
  const { project_id, project_name } = received;
  const turn = await waitForTurn(turns, project_id, interrupt);
  if (turn === null) {
    const result = interruptedResult(interrupt.reason, "fetch");
    if (result !== null) await reportResult(context, reporter, project_id, result);
    onFinished();
    return reporter.delivered();
  }

  let journal: RunJournal | null = null;
  try {
    const folder = projectFolder(context.home, project_id);
    await mkdir(folder.releases, { recursive: true });
    if (received.maintenance !== undefined)
      await applyMaintenance(context.slots, folder, received.maintenance).catch((error: unknown) =>
        context.log(`${project_name}: its maintenance could not be changed: ${messageOf(error)}`),
      );
    journal = openJournal(folder, {
      run,
      boot_id: bootId(),
      stage: "fetch",
      builds: null,
      activate_seconds: received.timeouts.activate_seconds,
      phase: { kind: "preparing" },
      groups: [],
    });
    const { scope, problem } = await openScope(context, received, { ...parts, folder, journal });
    const finish = await runDeployment(scope, problem);
    turn.rest();
    // Runs in parallel to the delivery of the result. Only the project's next run waits for it.
    void finish()
      .then(() => tidy(scope, turn.wanted))
      .finally(() => {
        turn.end();
        onFinished();
      });
  } catch (error) {
    // The project's folder could not be opened. The run still gets a verdict.
    context.log(`${project_name}: run ${run.run_id} failed: ${messageOf(error)}`);
    const { failure } = failUnexpectedly(error, "fetch").end;
    await reportResult(context, reporter, project_id, { outcome: "failed", failure });
    turn.end();
    onFinished();
  }
  const delivery = interrupt.reason === "ended" ? "ended" : await reporter.delivered();
  // Otherwise the next start of the agent needs it, to commit the live state.
  if (context.apps.of(project_id).commit === null) journal?.remove();
  return delivery;
}

/** @returns null if the run is interrupted first: a run that has not started does not wait for the run before it */
async function waitForTurn(
  turns: ProjectTurns,
  project: ProjectId,
  interrupt: Interrupt,
): Promise<Turn | null> {
  const upcoming = turns.acquire(project);
  const isInterrupted = new Promise<null>((resolve) => {
    interrupt.signal.addEventListener("abort", () => resolve(null), { once: true });
  });
  const turn = await Promise.race([upcoming, isInterrupted]);
  if (turn === null) void upcoming.then((unused) => unused.end());
  return turn;
}

type OpenParts = RunParts & { readonly folder: ProjectFolder; readonly journal: RunJournal };

/**
 * Opens the secrets of an order.
 * @returns what the stages of the run share. `problem`: why the secrets could not be opened; null if they could
 */
async function openScope(
  context: AgentContext,
  received: RunOrder,
  { interrupt, reporter, folder, journal }: OpenParts,
): Promise<{ readonly scope: RunScope; readonly problem: string | null }> {
  const { project_id: projectId } = received;
  const here = orderHere(received);
  const { variables: sealed, reuse_release } = here;
  const opened = await openOrderVariables(folder, context.sealKey, projectId, sealed, reuse_release);
  const variables = opened.ok ? opened.value : noVariables;
  for (const value of variables.secretValues) context.apps.of(projectId).secretValues.add(value);
  const order = orderWithToken(here, variables.repositoryToken);
  const mask = maskSecrets(
    variables.secretValues,
    createMask(order.source.repository, order.health_check?.url ?? "", order.health_check?.path ?? ""),
  );
  const scope: RunScope = {
    ...{ context, projectId, order, variables, folder, journal, reporter, interrupt, mask },
    marker: order.run_id,
    ledger: journal,
    limits: order.limits,
    log: createRunLog(reporter, mask, context.clock),
    room: () => reporter.room(),
  };
  return { scope, problem: opened.ok ? null : opened.message };
}
