import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { DeploymentId, ProjectId } from "#contract/ids.ts";
import { ServerCreated } from "#contract/endpoints/servers/schemas.ts";

import { createRepository } from "../../support/journey-repository.ts";
import type { System } from "../../support/journey-system.ts";
import { seedDeployments } from "../../support/seed-deployments.ts";
import { createAppsProject } from "../support/apps-project.ts";
import { SHOWN_TOKEN } from "../support/views.ts";
import { type Agent, joinServer, script } from "../../browser/support/operator.ts";

/** The objects that the screenshots show. */
export type Scene = {
  readonly shop: ProjectId;
  /** A project with processes, cron jobs, commands and a hook. */
  readonly apps: string;
  readonly live: DeploymentId;
  readonly failed: DeploymentId;
  /** It could not fetch. */
  readonly notFetched: DeploymentId;
  readonly running: DeploymentId;
  /** A sign-in link for an empty account. */
  readonly emptyAccountLink: string;
  readonly end: () => Promise<void>;
};

const FAILING_TEST = [
  String.raw`printf '\033[31m FAIL \033[39m test/\033[1mbasket.test.ts\033[0m \033[2m(4 tests, 1 failed)\033[0m\n' >&2`,
  String.raw`printf '\033[31m\033[1mAssertionError\033[0m: expected 12.5 to be 10 // Object.is equality\n' >&2`,
  String.raw`printf ' \033[36m❯ test/basket.test.ts:\033[2m31:24\033[0m\n' >&2`,
  "exit 1",
];

/** A build script. @param waitsFor a file that it waits for; null: none */
function buildScript({ fails = false, waitsFor = null as string | null } = {}): string {
  return [
    String.raw`printf '\033[2m> shop@2.4.1 build\033[0m\n\033[2m> vite build\033[0m\n\n'`,
    "echo 'added 214 packages in 3s'",
    String.raw`printf '\033[36mvite v7.3.1 \033[32mbuilding client environment for production...\033[39m\n'`,
    String.raw`for n in $(seq 1 42); do printf "\033[2mtransforming\033[0m src/pages/page-$n.tsx\n"; done`,
    String.raw`printf '\033[32m✓\033[39m 312 modules transformed.\n'`,
    String.raw`printf '\033[33mwarning\033[39m: 1 chunk is larger than 500 kB after minification\n'`,
    ...(waitsFor === null ? [] : [`until [ -e '${waitsFor}' ]; do sleep 0.2; done`]),
    String.raw`printf 'dist/\033[32mindex.html                 \033[39m\033[1m\033[2m  0.46 kB\033[0m\n'`,
    String.raw`printf 'dist/\033[36massets/index-Bd1x8cQe.js   \033[39m\033[1m\033[2m142.83 kB\033[0m\n'`,
    ...(fails ? FAILING_TEST : []),
    String.raw`printf '\033[32m✓ built in 2.31s\033[39m\n'`,
    "",
  ].join("\n");
}

/** Creates projects and deploys them: live, failed and running deployments, and a month of rows in the database. */
export async function setScene(system: System, home: string): Promise<Scene> {
  const { api, local } = system;
  const created = await api.call("POST", "/v1/servers", { name: "web-2", ip: "203.0.113.12" });
  const server = ServerCreated.parse(created.json);
  const agent: Agent = await joinServer(server.enrollment.command, join(home, "web-2"));
  agent.start();
  await api.call("POST", "/v1/servers", { name: "web-3", ip: "203.0.113.13" });
  await api.call("POST", "/v1/tokens", {
    name: SHOWN_TOKEN,
    scopes: ["deployments:write", "projects:read"],
    expires_in_days: 90,
  });
  await api.call("POST", "/v1/trust-rules", {
    ...{ name: "shop, main", provider: "github", subject: "1296269" },
    ...{ claims: { ref: ["refs/heads/main"] }, scopes: ["deployments:write"] },
  });

  await api.call("POST", "/v1/webhooks", { kind: "standard", url: "https://hooks.example.com/gantry" });
  const year = new Date().getFullYear() + 1;
  const times = { type: "once", from: `${year}-12-24T00:00:00.000Z`, to: `${year}-12-27T00:00:00.000Z` };
  await api.call("POST", "/v1/freezes", { name: "Holidays", times });

  const apps = await createAppsProject(local, "api");

  const repository = await createRepository(join(home, "shop"));
  const shop = await api.createProject({
    name: "shop",
    domain: "shop.example.com",
    server_id: local.server_id,
    repository: repository.path,
    build_command: "sh build.sh",
  });
  await api.call("PATCH", `/v1/projects/${shop.id}/variables`, {
    set: [
      { name: "DATABASE_PASSWORD", value: "only-an-example", secret: true },
      { name: "PUBLIC_URL", value: "https://shop.example.com" },
    ],
  });
  const commit = async (message: string, build: string) => {
    await writeFile(join(repository.path, "build.sh"), build);
    await writeFile(join(repository.path, "index.html"), message);
    await repository.git("add", "--all");
    await repository.git("commit", "--quiet", "-m", message);
  };
  const deploy = async (project: ProjectId, body: Record<string, unknown> = {}) => {
    const { id } = await api.start(project, body);
    await api.ended(id);
    return id;
  };
  for (const message of ["Open the shop", "Show prices with tax", "Remember the basket"]) {
    await commit(message, buildScript());
    await deploy(shop.id);
  }
  await commit("Round prices in the basket", buildScript({ fails: true }));
  const failed = await deploy(shop.id);
  await commit("Round prices once, at the end", buildScript());
  await deploy(shop.id);
  await api.ended((await api.rollBack(shop.id)).id);
  const live = await deploy(shop.id);

  const blog = await createRepository(join(home, "blog"));
  await blog.commit({ "index.html": "blog" });
  const away = await api.createProject({
    name: "blog",
    domain: "blog.example.com",
    server_id: server.id,
    repository: blog.path,
  });
  await deploy(away.id);
  const docs = await api.createProject({
    name: "docs",
    domain: "docs.example.com",
    server_id: server.id,
    repository: "https://git.example.com/docs.git",
  });
  seedDeployments(system.home, local, docs, { count: 160, days: 29 });

  await script("first-token.ts", "--account", "Second", "--home", system.home);
  const emptyAccountLink = await script("sign-in.ts", "--account", "Second", "--home", system.home);

  const gate = join(home, "gate");
  await commit("Welcome returning customers", buildScript({ waitsFor: gate }));
  const running = await api.start(shop.id);
  await api.waitUntil(running.id, ({ stage }) => stage === "build");
  await api.start(shop.id, { branch: "main" });
  return {
    shop: shop.id,
    apps: apps.id,
    live,
    failed,
    notFetched: apps.failed,
    running: running.id,
    emptyAccountLink,
    async end() {
      await writeFile(gate, "");
      apps.stop();
      await agent.kill();
    },
  };
}
