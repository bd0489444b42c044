import { showStarted } from "#agent/ingress/drain.ts";
import { storeFleet } from "#agent/ingress/fleet/fleet-file.ts";
import { writeSlots } from "#agent/ingress/slots.ts";
import type { FleetServer, FleetState } from "#contract/agent-fleet.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";

import { ids } from "../../agent/support/harness.ts";
import { eventually } from "../../support/faults/eventually.ts";
import { type LoadApp, startLoadApp } from "../../support/load/load-app.ts";
import type { LoadTarget } from "../../support/load/load.ts";
import { TestIngress } from "./caddy.ts";

export const DOMAIN = "shop.localhost";

/** A server of a fleet: a Caddy with the agent's part that configures it. */
export class FleetServerOfTest {
  readonly id: ServerId = ids.server();
  readonly test: TestIngress;
  readonly #watching = new AbortController();

  constructor(test: TestIngress) {
    this.test = test;
    void test.ingress.watch(this.#watching.signal, () => undefined);
  }

  /** As the control plane tells the other servers about it. */
  async shown(): Promise<FleetServer> {
    const { ingress } = this.test;
    await eventually("the authority is known", async () => (await ingress.reportFleet()) !== null);
    const report = await ingress.reportFleet();
    if (report === null) throw new Error("There is no authority.");
    return { ...report, id: this.id, ip: "127.0.0.1", address: "127.0.0.1" };
  }

  async close(): Promise<void> {
    this.#watching.abort();
    await this.test.close();
  }
}

/** A balancer and the servers that it leads requests to. Each server has an app with the name `app-0`, `app-1` … */
export class TestFleet {
  readonly project: ProjectId = ids.project();
  readonly balancer: FleetServerOfTest;
  readonly members: readonly FleetServerOfTest[];
  readonly apps: LoadApp[];
  /** Changes how the servers are shown to each other. */
  show: (server: FleetServer) => FleetServer = (server) => server;
  #revision = 0;

  private constructor(balancer: FleetServerOfTest, members: readonly FleetServerOfTest[], apps: LoadApp[]) {
    this.balancer = balancer;
    this.members = members;
    this.apps = apps;
  }

  static async start(
    count: number,
    change: Partial<FleetState["balances"][number]> = {},
  ): Promise<TestFleet> {
    const indexes = Array.from({ length: count }, (_, at) => at);
    const [balancer, members, apps] = await Promise.all([
      TestIngress.create(),
      Promise.all(indexes.map(() => TestIngress.create())),
      Promise.all(indexes.map((at) => startLoadApp(`app-${at}`))),
    ]);
    const fleet = new TestFleet(
      new FleetServerOfTest(balancer),
      members.map((test) => new FleetServerOfTest(test)),
      apps,
    );
    for (const [at, { test }] of fleet.members.entries()) {
      await test.put(fleet.project, { domain: DOMAIN, aliases: [], content: { kind: "app" } }, [
        apps[at]?.address ?? "",
      ]);
      await showStarted(test);
    }
    await fleet.tell(change);
    return fleet;
  }

  /** Tells all servers what they do, as the control plane does. */
  async tell(change: Partial<FleetState["balances"][number]> = {}): Promise<void> {
    this.#revision += 1;
    const revision = this.#revision;
    const servers = await Promise.all([this.balancer, ...this.members].map((one) => one.shown())).then(
      (all) => all.map((one) => this.show(one)),
    );
    const project_id = this.project;
    for (const { test, id } of [...this.members, this.balancer]) {
      const isBalancer = id === this.balancer.id;
      await storeFleet(test.home, {
        revision,
        servers,
        balances: isBalancer
          ? [
              {
                project_id,
                domain: DOMAIN,
                aliases: [],
                sticky: false,
                peers: [],
                members: this.members.map((one) => one.id),
                ...change,
              },
            ]
          : [],
        serves: isBalancer
          ? []
          : [{ entry: "balancer", project_id, hosts: [DOMAIN], balancers: [this.balancer.id] }],
      });
      await test.ingress.apply();
    }
  }

  /** Leads the requests of a member to another app, as a deployment does. */
  async switchTo(at: number, app: LoadApp): Promise<void> {
    const member = this.members[at];
    if (member === undefined) throw new Error(`There is no member ${at}.`);
    await writeSlots(member.test.slots, this.project, [app.address]);
  }

  /** Where visitors reach the project. */
  target(): Required<LoadTarget> {
    const { settings, authority } = this.balancer.test;
    return { port: settings.https_port, domain: DOMAIN, ca: authority };
  }

  async close(): Promise<void> {
    await Promise.all([
      ...[this.balancer, ...this.members].map((server) => server.close()),
      ...this.apps.map((app) => app.end()),
    ]);
  }
}
