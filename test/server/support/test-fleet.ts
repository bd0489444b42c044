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
export const ALIAS = "www.shop.localhost";

type Balance = FleetState["balances"][number];

/** A server of a fleet: a Caddy with the agent's part that configures it. */
export class TestServer {
  readonly id: ServerId = ids.server();
  readonly test: TestIngress;
  #watching = new AbortController();

  constructor(test: TestIngress) {
    this.test = test;
    this.watch();
  }

  /** Has the agent look after Caddy and the members. */
  watch(): void {
    this.#watching = new AbortController();
    void this.test.ingress.watch(this.#watching.signal, () => undefined);
  }

  /** Ends what `watch` began, as the end of the agent does. */
  unwatch(): void {
    this.#watching.abort();
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
    this.unwatch();
    await this.test.close();
  }
}

/** A balancer and the servers that it leads requests to. Each has an app with the name `app-0`, `app-1` … */
export class TestFleet {
  readonly project: ProjectId = ids.project();
  readonly balancer: TestServer;
  readonly members: readonly TestServer[];
  readonly apps: LoadApp[];
  /** Changes what a server is told. */
  adjust: (state: FleetState) => FleetState = (state) => state;
  #revision = 0;

  private constructor(balancer: TestServer, members: readonly TestServer[], apps: LoadApp[]) {
    this.balancer = balancer;
    this.members = members;
    this.apps = apps;
  }

  static async start(count: number, change: Partial<Balance> = {}): Promise<TestFleet> {
    const indexes = Array.from({ length: count }, (_, at) => at);
    const [balancer, members, apps] = await Promise.all([
      TestIngress.create(),
      Promise.all(indexes.map(() => TestIngress.create())),
      Promise.all(indexes.map((at) => startLoadApp(`app-${at}`))),
    ]);
    const fleet = new TestFleet(
      new TestServer(balancer),
      members.map((test) => new TestServer(test)),
      apps,
    );
    for (const [at, { test }] of fleet.members.entries()) {
      const aliases = [{ domain: ALIAS, redirect: true }];
      const site = { domain: DOMAIN, aliases, content: { kind: "app" } } as const;
      await test.put(fleet.project, { ...site, aliases }, [apps[at]?.address ?? ""]);
      await showStarted(test);
    }
    await fleet.tell(change);
    return fleet;
  }

  get servers(): readonly TestServer[] {
    return [this.balancer, ...this.members];
  }

  member(at: number): TestServer {
    const member = this.members[at];
    if (member === undefined) throw new Error(`There is no member ${at}.`);
    return member;
  }

  /** Tells all servers what they do, as the control plane does: the members first. */
  async tell(change: Partial<Balance> = {}): Promise<void> {
    this.#revision += 1;
    const servers = await Promise.all(this.servers.map((one) => one.shown()));
    const of = { project_id: this.project };
    const balance: Balance = {
      ...of,
      domain: DOMAIN,
      aliases: [{ domain: ALIAS, redirect: true }],
      sticky: false,
      members: this.members.map(({ id }) => id),
      peers: [],
      ...change,
    };
    for (const server of [...this.members, this.balancer]) {
      const common = { revision: this.#revision, servers };
      const state: FleetState =
        server === this.balancer
          ? { ...common, balances: [balance], serves: [] }
          : {
              ...common,
              balances: [],
              serves: [{ ...of, entry: "balancer", hosts: [DOMAIN, ALIAS], balancers: [this.balancer.id] }],
            };
      await storeFleet(server.test.home, this.adjust(state));
      await server.test.ingress.apply();
    }
  }

  /** Replaces the app of a member, as a deployment does. The earlier one finishes its requests and ends. */
  async deploy(at: number): Promise<void> {
    const app = await startLoadApp(`app-${at}`);
    await writeSlots(this.member(at).test.slots, this.project, [app.address]);
    const before = this.apps[at];
    this.apps[at] = app;
    setTimeout(() => void before?.end(), 1000);
  }

  /** Where visitors reach the project. */
  target(): Required<LoadTarget> {
    const { settings, authority } = this.balancer.test;
    return { port: settings.https_port, domain: DOMAIN, ca: authority };
  }

  async close(): Promise<void> {
    await Promise.all([
      ...this.servers.map((server) => server.close()),
      ...this.apps.map((app) => app.end()),
    ]);
  }
}
