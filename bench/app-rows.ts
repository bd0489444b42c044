import { join } from "node:path";

import { createRepository } from "../test/support/journey-repository.ts";
import type { System } from "../test/support/journey-system.ts";
import { createHandDeployer } from "./hand-deployer.ts";
import { median, type Row, time } from "./measure.ts";
import { untilLive } from "./until-live.ts";

const ROUNDS = 7;
/**
 * Of a restart by hand, in which visitors get errors until the app listens. Gantry checks the new instance before and
 * after the switch, and reports each step. A rollback soon after a deployment finds the earlier instance still running.
 */
const DEPLOY_RATIO_GOAL = 6;
const ROLLBACK_RATIO_GOAL = 3;

const app = (round: number) => `require("node:http")
  .createServer((_, response) => response.end("round ${round}"))
  .listen(process.env.PORT, "127.0.0.1");
process.on("SIGTERM", () => process.exit(0));
`;

/**
 * Measures deployments and rollbacks of an app that has nothing left to build, beside two other ways: the commands that
 * somebody types who restarts the app, and the order of steps that Kamal documents.
 */
export async function measureApp(system: System, home: string): Promise<Row[]> {
  const repository = await createRepository(join(home, "bench-app"));
  await repository.commit({ Procfile: "web: exec node server.js\n", "server.js": app(-1) });
  const project = await system.api.createProject({
    name: "bench-app",
    server_id: system.local.server_id,
    repository: repository.path,
    health_check: { path: "/", interval_seconds: 0.1 },
  });
  const [byHand, likeKamal] = await Promise.all([
    createHandDeployer(join(home, "bench-hand"), "restart"),
    createHandDeployer(join(home, "bench-kamal"), "switch"),
  ]);
  const times = {
    hand: [] as number[],
    kamal: [] as number[],
    deploy: [] as number[],
    rollback: [] as number[],
  };
  const stages = new Map<string, number[]>();
  /** What no stage contains: the requests, the order to the agent, and the result back. */
  const outside: number[] = [];
  try {
    // The first round is not counted: nothing is replaced in it.
    for (let round = 0; round <= ROUNDS; round += 1) {
      await repository.commit({ "server.js": app(round) });
      const hand = await time(() => byHand.deploy(repository.path));
      const kamal = await time(() => likeKamal.deploy(repository.path));
      const deploy = await untilLive(system, () => system.api.start(project.id));
      const [latest] = await system.api.listDeployments(project.id);
      const rollback = round === 0 ? 0 : await untilLive(system, () => system.api.rollBack(project.id));
      if (round === 0) continue;
      times.hand.push(hand);
      times.kamal.push(kamal);
      times.deploy.push(deploy);
      times.rollback.push(rollback);
      let inStages = 0;
      for (const { stage, duration } of latest?.stages ?? []) {
        stages.set(stage, [...(stages.get(stage) ?? []), duration * 1000]);
        inStages += duration * 1000;
      }
      outside.push(deploy - inStages);
    }
  } finally {
    await Promise.all([byHand.close(), likeKamal.close()]);
  }
  const [hand, kamal] = [median(times.hand), median(times.kamal)];
  const ms = (value: number) => `${value.toFixed(0)} ms`;
  const others = `${ms(hand)}  restarted by hand; ${ms(kamal)}  the steps of Kamal`;
  const row = (what: string, values: readonly number[], goal: number, note: string): Row => {
    const measured = median(values);
    return {
      what,
      measured: ms(measured),
      against: `${others}${note}`,
      ratio: `${(measured / hand).toFixed(2)}×`,
      goal: `≤ ${goal}×`,
      isMet: measured / hand <= goal,
    };
  };
  const spent = [...stages, ["between the stages, and to the server and back", outside] as const]
    .map(([where, values]) => `${where} ${ms(median(values))}`)
    .join(", ");
  return [
    row(
      "app with a process, POST to live, nothing to build",
      times.deploy,
      DEPLOY_RATIO_GOAL,
      `; of it: ${spent}`,
    ),
    row(
      "app with a process, rollback, POST to live",
      times.rollback,
      ROLLBACK_RATIO_GOAL,
      "; its instances still run, so it only switches",
    ),
  ];
}
