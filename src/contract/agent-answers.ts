import * as z from "zod/mini";

import { listUpTo, textUpTo, wholeFrom } from "#contract/bounds.ts";
import { CommitSha, MAX_COMMIT_MESSAGE, Repository } from "#contract/git-names.ts";
import { DeploymentId, ProjectId } from "#contract/ids.ts";
import { CommandReading, CommandStates } from "#contract/endpoints/commands/schemas.ts";
import { DomainLookups } from "#contract/endpoints/domains/schemas.ts";
import { DeploymentFailure } from "#contract/endpoints/deployments/schemas.ts";
import { CronJobReports, CronRunReading } from "#contract/endpoints/cron/schemas.ts";
import { PublicKey, RepositoryTested } from "#contract/endpoints/projects/repository-access.ts";
import { PauseResult } from "#contract/endpoints/traffic/pause.ts";
import { MAX_LAST_LINES, AppOutputLine } from "#contract/endpoints/output/schemas.ts";
import { ProcessReports } from "#contract/endpoints/processes/schemas.ts";

/** What every request and every answer has. `request_id`: an answer has the id of its request. */
export const serverExchangeFields = { request_id: textUpTo(64) };
/** What those about a project have. */
export const exchangeFields = { ...serverExchangeFields, project_id: ProjectId };

/** The commit of a deployment and its message, or why the server cannot deploy it. */
export const CommitResolution = z.discriminatedUnion("ok", [
  z.strictObject({
    ok: z.literal(true),
    commit_sha: CommitSha,
    commit_message: textUpTo(MAX_COMMIT_MESSAGE),
  }),
  z.strictObject({ ok: z.literal(false), failure: DeploymentFailure }),
]);
export type CommitResolution = z.infer<typeof CommitResolution>;

const TOO_LONG = "The answer is longer than the server can send.";
const failedTooLong = { ok: false, code: "failed", message: TOO_LONG } as const;

/** @param shorten leaves out the long parts. Omitted: the schema allows no long values */
function answer<Schema extends z.ZodMiniObject>(
  schema: Schema,
  shorten: (message: z.infer<Schema>) => z.infer<Schema> = (message) => message,
) {
  return { schema, shorten };
}

/** An agent's answers, by their type. */
export const agentAnswers = {
  /** `public_key` is null if the key could not be created; `message` says why. */
  deploy_key: answer(
    z.strictObject({
      type: z.literal("deploy_key"),
      ...exchangeFields,
      public_key: z.nullable(PublicKey),
      message: textUpTo(1000),
    }),
  ),
  repository_tested: answer(
    z.strictObject({ type: z.literal("repository_tested"), ...exchangeFields, result: RepositoryTested }),
  ),
  domains_checked: answer(
    z.strictObject({ type: z.literal("domains_checked"), ...exchangeFields, domains: DomainLookups }),
  ),
  /** `repository`: from the request. */
  commit_resolved: answer(
    z.strictObject({
      type: z.literal("commit_resolved"),
      ...exchangeFields,
      deployment_id: DeploymentId,
      repository: Repository,
      result: CommitResolution,
    }),
  ),
  processes_read: answer(
    z.strictObject({ type: z.literal("processes_read"), ...exchangeFields, processes: ProcessReports }),
    (one) => ({ ...one, processes: one.processes.map((process) => ({ ...process, instances: [] })) }),
  ),
  /** `problem`: why it could not be done, as a sentence; null: it is done. */
  maintenance_set: answer(
    z.strictObject({
      type: z.literal("maintenance_set"),
      ...exchangeFields,
      problem: z.nullable(textUpTo(1000)),
    }),
  ),
  pause_set: answer(z.strictObject({ type: z.literal("pause_set"), ...exchangeFields, result: PauseResult })),
  /** `problem`: as in `maintenance_set`. */
  drain_set: answer(
    z.strictObject({
      type: z.literal("drain_set"),
      ...serverExchangeFields,
      problem: z.nullable(textUpTo(1000)),
    }),
  ),
  /** `revision`: of the request. `problem`: as in `maintenance_set`; the state before stays if there is one. */
  fleet_set: answer(
    z.strictObject({
      type: z.literal("fleet_set"),
      ...serverExchangeFields,
      revision: wholeFrom(1),
      problem: z.nullable(textUpTo(1000)),
    }),
  ),
  output_read: answer(
    z.strictObject({
      type: z.literal("output_read"),
      ...exchangeFields,
      lines: listUpTo(AppOutputLine, MAX_LAST_LINES),
    }),
    (one) => {
      const instances = [...new Set(one.lines.map(({ instance }) => instance))].slice(0, 100);
      return { ...one, lines: instances.map((instance) => ({ instance, message: `[gantry] ${TOO_LONG}` })) };
    },
  ),
  command_read: answer(
    z.strictObject({ type: z.literal("command_read"), ...exchangeFields, result: CommandReading }),
    (one) => ({ ...one, result: failedTooLong }),
  ),
  commands_listed: answer(
    z.strictObject({ type: z.literal("commands_listed"), ...exchangeFields, commands: CommandStates }),
    (one) => ({
      ...one,
      commands: one.commands.map(({ id, state }) => ({ id, state: { ...state, message: null } })),
    }),
  ),
  cron_read: answer(
    z.strictObject({ type: z.literal("cron_read"), ...exchangeFields, jobs: CronJobReports }),
    (one) => ({ ...one, jobs: one.jobs.map((job) => ({ ...job, runs: [] })) }),
  ),
  cron_run_read: answer(
    z.strictObject({ type: z.literal("cron_run_read"), ...exchangeFields, result: CronRunReading }),
    (one) => ({ ...one, result: failedTooLong }),
  ),
};

type Answers = typeof agentAnswers;
export type AgentAnswerType = keyof Answers;

type AgentAnswerOf<Type extends AgentAnswerType> = {
  [Each in Type]: z.infer<Answers[Each]["schema"]> & { readonly type: Each };
}[Type];
export type AgentAnswer = AgentAnswerOf<AgentAnswerType>;

export const answerSchemas = Object.values(agentAnswers).map(({ schema }) => schema);

export function isAgentAnswer(message: { readonly type: string }): message is AgentAnswer {
  return Object.hasOwn(agentAnswers, message.type);
}

/** TypeScript knows by this type that an answer fits the shortening of its type. */
type Shortenings = {
  readonly [Type in AgentAnswerType]: { readonly shorten: (message: AgentAnswerOf<Type>) => AgentAnswer };
};

/**
 * What is left of an answer that is longer than the link allows. An answer stays an answer, so that its request does not
 * wait until its timeout.
 */
export function shortenAnswer<Type extends AgentAnswerType>(message: AgentAnswerOf<Type>): AgentAnswer {
  const answers: Shortenings = agentAnswers;
  return answers[message.type].shorten(message);
}
