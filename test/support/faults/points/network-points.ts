import { messageFromAgent } from "../passages.ts";
import { canceling } from "./doings.ts";
import { controlPlaneIsAway, faults, linkFallsSilent } from "./faults.ts";
import { at } from "./moments.ts";
import type { Fault, FaultPoint } from "./point.ts";

/** Cuts the link, and drops or doubles the first hello after that. */
const firstHelloIs =
  (fate: "drop" | "twice"): Fault =>
  async ({ host }) => {
    let hasCome = false;
    const remove = host.link.rule((passage) => {
      if (hasCome || messageFromAgent(passage)?.type !== "hello") return null;
      hasCome = true;
      return fate;
    });
    const welcome = host.welcomed();
    host.link.cut();
    await welcome;
    remove();
  };

/** Loses the held message together with the link; the Worker sends it again after the reconnect. */
const lostWithTheLink: Fault = async ({ host }) => {
  host.link.cut();
  return "drop";
};

const linkIsSlow: Fault = async ({ host }) => {
  host.link.slow(120);
};
const linkIsFast = async ({ host }: Parameters<Fault>[0]) => host.link.slow(0);

/** Messages between clients, Worker and agent are lost, doubled or delayed, each time at another moment. */
export const networkPoints: readonly FaultPoint[] = [
  { name: "a start's 201 is lost on its way back", at: at.startAnswer, fault: faults.drop, ends: ["live"] },
  { name: "a start arrives twice", at: at.startRequest, fault: faults.twice, ends: ["live"] },
  { name: "a start arrives in pieces", at: at.startRequest, fault: faults.dribble, ends: ["live"] },
  { name: "the order is lost with the link", at: at.order, fault: lostWithTheLink, ends: ["live"] },
  { name: "the order arrives twice", at: at.order, fault: faults.twice, ends: ["live"] },
  { name: "the first report is lost", at: at.firstReport, fault: faults.drop, ends: ["live"] },
  { name: "the first report arrives twice", at: at.firstReport, fault: faults.twice, ends: ["live"] },
  {
    name: "the answer to the first report is lost",
    at: at.firstReportTaken,
    fault: faults.drop,
    ends: ["live"],
  },
  { name: "output is lost", at: at.firstOutput, fault: faults.drop, ends: ["live"] },
  { name: "output arrives twice", at: at.firstOutput, fault: faults.twice, ends: ["live"] },
  { name: "output arrives in pieces", at: at.firstOutput, fault: faults.dribble, ends: ["live"] },
  { name: "the answer to output is lost", at: at.firstOutputTaken, fault: faults.drop, ends: ["live"] },
  { name: "the request for the permit is lost", at: at.ready, fault: faults.drop, ends: ["live"] },
  { name: "the request for the permit arrives twice", at: at.ready, fault: faults.twice, ends: ["live"] },
  { name: "the permit is lost", at: at.permit, fault: faults.drop, ends: ["live"] },
  { name: "the permit arrives in pieces", at: at.permit, fault: faults.dribble, ends: ["live"] },
  { name: "the result is lost", at: at.result, fault: faults.drop, ends: ["live"] },
  { name: "the result arrives twice", at: at.result, fault: faults.twice, ends: ["live"] },
  { name: "the answer to the result is lost", at: at.resultTaken, fault: faults.drop, ends: ["live"] },
  {
    name: "a stop arrives twice",
    doing: canceling("build"),
    at: at.stop,
    fault: faults.twice,
    ends: ["canceled"],
  },
  {
    name: "a stop is lost with the link",
    doing: canceling("build"),
    at: at.stop,
    fault: lostWithTheLink,
    ends: ["canceled"],
  },
  { name: "the link is cut in the fetch", at: at.gate("fetch"), fault: faults.linkIsCut, ends: ["live"] },
  { name: "the link is cut in the build", at: at.gate("build"), fault: faults.linkIsCut, ends: ["live"] },
  {
    name: "the link is cut with the permit on its way",
    at: at.permit,
    fault: faults.linkIsCut,
    ends: ["live"],
  },
  {
    name: "the link is cut in the activate command",
    at: at.gate("activate"),
    fault: faults.linkIsCut,
    ends: ["live"],
  },
  {
    name: "a hello is lost in the build",
    at: at.gate("build"),
    fault: firstHelloIs("drop"),
    ends: ["live"],
  },
  {
    name: "a hello arrives twice in the build",
    at: at.gate("build"),
    fault: firstHelloIs("twice"),
    ends: ["live"],
  },
  {
    name: "the link falls silent in the build, and recovers",
    at: at.gate("build"),
    fault: linkFallsSilent("arrives"),
    ends: ["live"],
  },
  {
    name: "the link falls silent with the permit on its way, which is lost",
    at: at.permit,
    fault: linkFallsSilent("lost"),
    ends: ["live"],
  },
  {
    name: "the control plane is away in the activate command",
    at: at.gate("activate"),
    fault: controlPlaneIsAway,
    ends: ["live"],
  },
  {
    name: "the link is slow from the order on",
    at: at.order,
    fault: linkIsSlow,
    recover: linkIsFast,
    ends: ["live"],
  },
];
