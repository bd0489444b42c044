import { readdir } from "node:fs/promises";
import { join } from "node:path";

import type { RunEvent } from "#contract/agent-protocol.ts";

import { eventually } from "../eventually.ts";
import type { GateName } from "../gate.ts";
import {
  answerOf,
  type Fate,
  isStartAnswer,
  type Passage,
  reportOf,
  toldAgent,
  toldByAgent,
} from "../passages.ts";
import type { LinkProxy } from "../link-proxy.ts";
import type { Armed, Moment, Scene } from "./point.ts";

/** The first thing that passes a proxy and is meant stands still there. */
function standing(link: LinkProxy, isMeant: (passage: Passage) => boolean): Armed {
  const reached = Promise.withResolvers<void>();
  const fate = Promise.withResolvers<Fate>();
  let isTaken = false;
  const remove = link.rule((passage) => {
    if (isTaken || !isMeant(passage)) return null;
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

/** Something passes between the agent and the Worker. */
const onLink =
  (isMeant: (passage: Passage, scene: Scene) => boolean): Moment =>
  (scene) =>
    standing(scene.host.link, (passage) => isMeant(passage, scene));

const ofThisSite = (passage: Passage, { site }: Scene): boolean =>
  reportOf(passage)?.project_id === site.projectId;

/** The agent reports something: its request stands before the Worker. */
const reports = (isMeant: (event: RunEvent) => boolean): Moment =>
  onLink(
    (passage, scene) =>
      passage.kind === "request" &&
      ofThisSite(passage, scene) &&
      reportOf(passage)?.events.some(isMeant) === true,
  );

/** The Worker has taken in what the agent has reported: its answer stands before the agent. */
const isTold = (isMeant: (event: RunEvent) => boolean): Moment =>
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
  /** The Worker offers the run; the order stands before the agent. */
  order: onLink((passage, { site }) => {
    const told = toldAgent(passage);
    return told?.type === "run" && told.order.project_id === site.projectId;
  }),
  firstReport: reports((event) => event.seq === 1),
  firstReportTaken: isTold((event) => event.seq === 1),
  resolved: reports((event) => event.type === "resolved"),
  firstOutput: reports(isBuildOutput),
  firstOutputTaken: isTold(isBuildOutput),
  ready: reports((event) => event.type === "ready"),
  permit: onLink(
    (passage, scene) => ofThisSite(passage, scene) && answerOf(passage)?.instruction === "activate",
  ),
  activateReported: reports((event) => event.type === "stage" && event.stage === "activate"),
  result: reports((event) => event.type === "result"),
  resultTaken: isTold((event) => event.type === "result"),
  stop: onLink((passage, { site }) => {
    const told = toldAgent(passage);
    return told?.type === "stop" && told.project_id === site.projectId;
  }),
  hello: onLink((passage) => toldByAgent(passage)?.type === "hello"),
  /** A server is told to let go of the project. */
  forget: onLink((passage, { site }) => {
    const told = toldAgent(passage);
    return told?.type === "remove_project" && told.project_id === site.projectId;
  }),
  forgotten: onLink((passage, { site }) => {
    const told = toldByAgent(passage);
    return told?.type === "project_removed" && told.project_id === site.projectId;
  }),
  /** The agent removes the files of a release; or, if that was too quick, it is done with that. */
  prune: ((scene) => {
    const temp = join(scene.host.home, "projects", scene.site.projectId, "tmp");
    let isReported = false;
    const result = standing(scene.host.link, (passage) => {
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
  /** The health check has been asked, and does not answer. */
  healthCheck: (({ installation: { health } }) => {
    health.next("hang");
    return { reached: health.asked(), go: async () => health.next() };
  }) satisfies Moment,
  /** The 201 is on its way back to the client. */
  startAnswer: ((scene) => standing(scene.installation.clients, isStartAnswer)) satisfies Moment,
  startRequest: ((scene) =>
    standing(
      scene.installation.clients,
      (passage) =>
        passage.kind === "request" &&
        passage.method === "POST" &&
        passage.path.includes(scene.site.projectId),
    )) satisfies Moment,
  /** A command of the deployment stands at its gate. */
  gate:
    (name: GateName): Moment =>
    async ({ site }) => {
      await site.source.gate.hold(name);
      return { reached: site.source.gate.reached(name), go: () => site.source.gate.open() };
    },
} as const;
