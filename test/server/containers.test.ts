import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Project } from "#contract/endpoints/projects/schemas.ts";

import { startLoad } from "../support/load/load.ts";
import { AppServer } from "./support/app-server.ts";
import { loadAppText } from "./support/apps/load-app.ts";
import { ImageRegistry } from "./support/image-registry.ts";

const TEST_MS = 600_000;

const DOCKERFILE = `FROM node:24
ARG COLOR
RUN useradd --uid 1000 app && mkdir -p /app/storage && chown app /app/storage
WORKDIR /app
COPY app.cjs release.txt ./
USER app
EXPOSE 3000
CMD ["sh", "-c", "exec node app.cjs $(cat release.txt)-$COLOR"]
`;

let server: AppServer;
let project: Project;
beforeAll(async () => {
  server = await AppServer.start({ containers: true, ingress: true });
  await ImageRegistry.start(server.machine);
  project = await server.createProject(
    "shop",
    { Dockerfile: DOCKERFILE, "app.cjs": loadAppText(), "release.txt": "r0" },
    {
      domain: "shop.localhost",
      framework: "dockerfile",
      shared_paths: ["storage"],
      health_check: { path: "/", tries: 3, interval_seconds: 0.1, timeout_seconds: 10 },
      drain_seconds: 2,
      keep_releases: 3,
    },
  );
}, TEST_MS);
afterAll(() => server.close());

describe("A project with a Dockerfile", () => {
  it("is built and runs the command of its image", { timeout: TEST_MS }, async () => {
    await server.expectLive(project.id);
    expect(await server.ask("shop.localhost")).toContain("r0");
  });

  it("switches without losing a request", { timeout: TEST_MS }, async () => {
    const load = startLoad(await server.target("shop.localhost"), 40);
    await load.answeredBy("r0-");
    for (let n = 1; n <= 3; n += 1) {
      await server.commit("shop", { "release.txt": `r${n}` });
      await server.expectLive(project.id);
      await load.answeredBy(`r${n}-`);
    }
    const { failures, ok } = await load.stop();
    expect(failures).toEqual({});
    expect(ok).toBeGreaterThan(100);
  });
});
