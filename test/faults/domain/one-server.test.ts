import { createHash } from "node:crypto";

import { describe, expect, it } from "vitest";

import type { Result } from "#contract/problems.ts";
import { nextDeadline } from "#domain/lane/deadlines.ts";
import { decideCancel } from "#domain/lane/decide-cancel.ts";
import { decideDeadlines } from "#domain/lane/decide-deadlines.ts";
import { decideDelete } from "#domain/lane/decide-delete.ts";
import { decideRunEvents } from "#domain/lane/decide-run-events.ts";
import type { Decision } from "#domain/lane/decision.ts";
import { activeOf, emptyLane, isIn, type Lane, type LaneDeployment } from "#domain/lane/lane.ts";
import {
  noteSent,
  noteUndelivered,
  pendingMessages,
  pendingRemovals,
} from "#domain/lane/pending-messages.ts";
import { reconcile } from "#domain/lane/reconcile.ts";
import { isRunIn } from "#domain/lane/runs.ts";
import { apply, CI, PROJECT, rollBack, start, story } from "../../support/lane.ts";
import { oneServerHashes } from "../../support/model/one-server-hashes.ts";
import { type LaneUnderTest, traceOf } from "../../support/model/one-server-history.ts";

const answered = (lane: Lane, decided: Result<Decision>) =>
  decided.ok
    ? { lane: decided.value.lane, answer: "ok" }
    : { lane, answer: `${decided.refusal.code}: ${decided.refusal.detail}` };

function codeOf({ codeVersion, commitSha, kind, state }: LaneDeployment): string {
  const served =
    "served" in state ? state.served.map(({ release, releaseKept }) => [release, releaseKept]) : [];
  const failure = "failure" in state ? state.failure.code : "";
  return [kind, codeVersion, commitSha?.slice(0, 1) ?? "", ...served.flat(), failure].join(" ");
}

const lanes: LaneUnderTest<Lane> = {
  empty: emptyLane,
  start: (lane, request, now) => answered(lane, start(lane, now, request)),
  rollBack: (lane, request, now) => answered(lane, rollBack(lane, undefined, now, request)),
  apply: (lane, request, now, restart) =>
    answered(lane, apply(lane, now, { ...request, restart: [...restart] })),
  cancel: (lane, id, now) => answered(lane, decideCancel(lane, id, CI, now)),
  remove: (lane, id, now) => answered(lane, decideDelete(lane, id, CI, now)),
  events: (lane, run, events, now) => {
    const decided = decideRunEvents(lane, { ...run, events }, now);
    return { lane: decided.lane, answer: JSON.stringify(decided.value) };
  },
  hello: (lane, hello, now) => {
    const decided = reconcile(lane, hello, now);
    return { lane: decided.lane, answer: JSON.stringify(decided.value) };
  },
  alarm: (lane, now) => ({ lane: decideDeadlines(lane, now).lane, answer: "" }),
  send: (lane, isDelivered, now) =>
    pendingMessages(lane, PROJECT, now).reduce((next, { runId }) => {
      const sent = noteSent(next, runId, now);
      return isDelivered ? sent : noteUndelivered(sent, runId, now);
    }, lane),
  active: (lane) => {
    const active = activeOf(lane);
    const [run] = active?.state.runs ?? [];
    if (active === null || run === undefined) return null;
    return { ...active, ackedSeq: isRunIn(run, "running") ? run.state.ackedSeq : 0 };
  },
  ids: (lane) => lane.deployments.map(({ id }) => id),
  deadline: nextDeadline,
  picture: (lane, now) => {
    const messages = pendingMessages(lane, PROJECT, now).map(({ message }) => {
      if (message.type !== "run") return message.type;
      const { source, reuse_release, preapproved, keep_releases, release_command } = message.order;
      return [
        "run",
        source.commit,
        reuse_release,
        preapproved,
        keep_releases.join("/"),
        release_command,
      ].join(" ");
    });
    const running = lane.deployments.flatMap((one) =>
      isIn(one, "active")
        ? one.state.runs.flatMap(({ state }) =>
            state.name === "running" ? [state.stage, state.permitted] : [],
          )
        : [],
    );
    return JSON.stringify([
      story(lane),
      lane.deployments.map(codeOf),
      running,
      messages,
      pendingRemovals(lane, PROJECT, now).map(({ serverId }) => serverId),
      lane.placements.map(({ serverId, state }) => [serverId, state.name]),
      nextDeadline(lane),
    ]);
  },
};

/**
 * If a decision changes on purpose, compare the traces of some histories before and after the change, and replace the hashes.
 */
describe("a project with one server", () => {
  it.each(Object.entries(oneServerHashes))(
    "is decided on as before there could be several: history %s",
    (seed, hash) => {
      const trace = traceOf(Number(seed), lanes);
      expect(createHash("sha256").update(trace.join("\n")).digest("hex").slice(0, 16)).toBe(hash);
    },
  );
});
