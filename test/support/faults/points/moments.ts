import { readdir } from "node:fs/promises";
import { join } from "node:path";

import * as z from "zod";

import type { EventType } from "#contract/endpoints/events/schemas.ts";
import type { RunEvent } from "#contract/agent-events.ts";

import { eventually } from "../eventually.ts";
import type { GateName } from "../gate.ts";
import {
  answerOf,
  type Fate,
  isStartAnswer,
  type Passage,
  reportOf,
  messageToAgent,
  messageFromAgent,
} from "../passages.ts";
import type { LinkProxy } from "../link-proxy.ts";
import type { Armed, Moment, Scene } from "./point.ts";

/** Holds the first passage through a proxy that matches. */
function holdFirst(link: LinkProxy, matches: (passage: Passage) => boolean): Armed {
  const reached = Promise.withResolvers<void>();
  const fate = Promise.withResolvers<Fate>();
  let isTaken = false;
  const remove = link.rule((passage) => {
    if (isTaken || !matches(passage)) return null;
    isTaken = true;
    reached.resolve();
    return fate.promise;
  });
  return {
    reached: reached.promise,
    async go(decided) {
      remove();
      fate.resolve(decided);
    },
  };
}

/** An event of this site's deployment on its way to the webhook's receiver, or the receiver's answer. */
const eventPassage =
  (kind: "request" | "answer") =>
  (type: EventType): Moment =>
  (scene) =>
    holdFirst(scene.installation.webhooks, (passage) => {
      if (passage.kind !== kind) return false;
      const sent = SentEvent.safeParse(passage.kind === "answer" ? passage.asked : passage.body).data;
      return sent?.type === type && sent.data.project.id === scene.site.projectId;
    });

const SentEvent = z.object({
  type: z.string(),
  data: z.object({ project: z.object({ id: z.string() }) }),
});

const APPROVE_PATH = /^\/v1\/deployments\/[^/]+\/approve$/;
const FreezeOf = z.object({ project_id: z.string() });

/** A passage between the agent and the Worker. */
const onLink =
  (isMeant: (passage: Passage, scene: Scene) => boolean): Moment =>
  (scene) =>
    holdFirst(scene.host.link, (passage) => isMeant(passage, scene));

const ofThisSite = (passage: Passage, { site }: Scene): boolean =>
  reportOf(passage)?.project_id === site.projectId;

/** The agent's report, held before it reaches the Worker. */
const reports = (isMeant: (event: RunEvent) => boolean): Moment =>
  onLink(
    (passage, scene) =>
      passage.kind === "request" &&
      ofThisSite(passage, scene) &&
      reportOf(passage)?.events.some(isMeant) === true,
  );

/** The Worker's answer to a report that it has stored, held before it reaches the agent. */
const reportAnswered = (isMeant: (event: RunEvent) => boolean): Moment =>
  onLink(
    (passage, scene) =>
      passage.kind === "answer" &&
      ofThisSite(passage, scene) &&
      reportOf(passage)?.events.some(isMeant) === true,
  );

const isBuildOutput = (event: RunEvent): boolean =>
  event.type === "output" &&
  event.lines.some(({ stage, stream }) => stage === "build" && stream === "stdout");

export const at = {
  /** An event, held before it reaches the webhook's receiver. */
  eventSent: eventPassage("request"),
  /** The receiver's answer, held before it reaches the Worker. */
  eventAnswered: eventPassage("answer"),
  /** The run order, held before it reaches the agent. */
  order: onLink((passage, { site }) => {
    const told = messageToAgent(passage);
    return told?.type === "run" && told.order.project_id === site.projectId;
  }),
  firstReport: reports((event) => event.seq === 1),
  firstReportTaken: reportAnswered((event) => event.seq === 1),
  resolved: reports((event) => event.type === "resolved"),
  firstOutput: reports(isBuildOutput),
  firstOutputTaken: reportAnswered(isBuildOutput),
  ready: reports((event) => event.type === "ready"),
  permit: onLink(
    (passage, scene) => ofThisSite(passage, scene) && answerOf(passage)?.instruction === "activate",
  ),
  activateReported: reports((event) => event.type === "stage" && event.stage === "activate"),
  result: reports((event) => event.type === "result"),
  resultTaken: reportAnswered((event) => event.type === "result"),
  stop: onLink((passage, { site }) => {
    const told = messageToAgent(passage);
    return told?.type === "stop" && told.project_id === site.projectId;
  }),
  hello: onLink((passage) => messageFromAgent(passage)?.type === "hello"),
  /** The message by which a server is asked to remove the project. */
  removeProject: onLink((passage, { site }) => {
    const told = messageToAgent(passage);
    return told?.type === "remove_project" && told.project_id === site.projectId;
  }),
  projectRemoved: onLink((passage, { site }) => {
    const told = messageFromAgent(passage);
    return told?.type === "project_removed" && told.project_id === site.projectId;
  }),
  /** The agent removes the files of a release; or has removed them, where it was faster than the poll. */
  prune: ((scene) => {
    const temp = join(scene.host.home, "projects", scene.site.projectId, "tmp");
    let isReported = false;
    const result = holdFirst(scene.host.link, (passage) => {
      const events = ofThisSite(passage, scene) ? (reportOf(passage)?.events ?? []) : [];
      return (isReported ||= events.some((event) => event.type === "result"));
    });
    const isPruning = async () =>
      (await readdir(temp).catch(() => [])).some((name) => name.startsWith("bin-releases"));
    return {
      reached: eventually("a release is pruned", async () => isReported || (await isPruning())),
      go: (fate) => result.go(fate),
    };
  }) satisfies Moment,
  /** The health check has been requested, and does not answer. */
  healthCheck: (({ installation: { health } }) => {
    health.next("hang");
    return { reached: health.asked(), go: async () => health.next() };
  }) satisfies Moment,
  /** The 201, held before it reaches the client. */
  startAnswer: ((scene) => holdFirst(scene.installation.clients, isStartAnswer)) satisfies Moment,
  startRequest: ((scene) =>
    holdFirst(
      scene.installation.clients,
      (passage) =>
        passage.kind === "request" &&
        passage.method === "POST" &&
        passage.path.includes(scene.site.projectId),
    )) satisfies Moment,
  /** The approval of the site's deployment, held before it reaches the Worker. */
  approvalRequest: ((scene) =>
    holdFirst(
      scene.installation.clients,
      (passage) => passage.kind === "request" && APPROVE_PATH.test(passage.path),
    )) satisfies Moment,
  /** The Worker's answer to it, held before it reaches the client. */
  approvalAnswer: ((scene) =>
    holdFirst(
      scene.installation.clients,
      (passage) => passage.kind === "answer" && passage.status === 200 && APPROVE_PATH.test(passage.path),
    )) satisfies Moment,
  /** The 201 to a new freeze of the site, held before it reaches the client. */
  freezeAnswer: ((scene) =>
    holdFirst(
      scene.installation.clients,
      (passage) =>
        passage.kind === "answer" &&
        passage.status === 201 &&
        passage.path === "/v1/freezes" &&
        FreezeOf.safeParse(passage.asked).data?.project_id === scene.site.projectId,
    )) satisfies Moment,
  /** A freeze holds the site's deployment. */
  frozen: (({ installation: { api }, site }) => ({
    reached: eventually("a freeze holds a deployment", async () => {
      const all = await api.listDeployments(site.projectId);
      return all.some(({ waiting_on: waiting }) => waiting?.type === "freeze");
    }),
    go: async () => undefined,
  })) satisfies Moment,
  /** A command of the deployment waits at its gate. */
  gate:
    (name: GateName): Moment =>
    async ({ site }) => {
      await site.source.gate.hold(name);
      return { reached: site.source.gate.reached(name), go: () => site.source.gate.open() };
    },
} as const;
