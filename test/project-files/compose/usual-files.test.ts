import { describe, expect, it } from "vitest";

import { importCompose } from "#project-files/compose/import-compose.ts";
import { type ComposeText, readComposeFiles } from "#project-files/compose/read-compose.ts";
import { pulledImage } from "#project-files/compose/roles.ts";
import { interpolated } from "#project-files/compose/values.ts";

function importOf(...texts: readonly string[]) {
  const files: readonly ComposeText[] = texts.map((text, at) => ({ path: `${at}.yaml`, text }));
  const read = readComposeFiles(files);
  if (!read.ok) throw new Error(`${read.problem.message} ${read.problem.hint}`);
  return importCompose(read.value, {
    folder: "",
    workdir: "/app",
    isCommitted: (source) => source === "./src",
    lineOf: (words) => words.join(" "),
  });
}

const untakenOf = (text: string) =>
  importOf(text).untaken.map(({ what, services }) => `${what} (${services.join(", ")})`);

describe("a value with variables of Compose", () => {
  it.each([
    ["a", "a"],
    ["${PORT:-3000}", "3000"],
    ["${A-b}${C:-d}", "bd"],
    ["${URL:-http://${HOST:-localhost}:80/}", "http://localhost:80/"],
    ["${A:-}", ""],
    ["$$HOME is ${X:-$$5}", "$HOME is $5"],
    ["${A}", null],
    ["$A", null],
    ["${A:?set it}", null],
    ["${A:+b}", null],
    ["${A:-${B}}", null],
    ["${A:-b", null],
    ["$", null],
  ])("%j is %j", (text, value) => {
    expect(interpolated(text)).toBe(value);
  });

  it("names another service although a part of it is not in the file", () => {
    const { variables } = importOf(
      "services: { web: { build: ., environment: { DB: 'postgres://a:${PASSWORD}@db/x', MAIL: $M } }, db: { image: postgres } }",
    );
    expect(variables.addresses).toEqual([{ name: "DB", service: "db", isSecret: true }]);
    expect(variables.unknown).toEqual(["MAIL"]);
  });

  it("has the default everywhere, and is not in the file if that is empty", () => {
    const { gantryJson, variables } = importOf(`services:
  web:
    build: { context: "\${DIR:-.}", dockerfile: "\${FILE:-web.Dockerfile}" }
    ports: ["\${BIND:-127.0.0.1}:\${PORT:-80}:\${INNER:-3000}"]
    mem_limit: \${MEMORY:-512m}
    deploy: { resources: { limits: { cpus: "\${CPUS:-0}" } } }
    environment: { LEVEL: "\${LEVEL:-info}", DSN: "\${DSN:-}", EMPTY: "" }
  other: { build: ., mem_limit: "\${MEMORY:-0}" }
`);
    expect(gantryJson).toEqual({
      framework: "dockerfile",
      dockerfile: { path: "web.Dockerfile", context: "." },
      processes: { web: { container_port: 3000, memory_mb: 512 } },
    });
    expect(variables.plain).toEqual([
      { name: "LEVEL", value: "info" },
      { name: "EMPTY", value: "" },
    ]);
    expect(variables.unknown).toEqual(["DSN"]);
  });
});

describe("several Compose files", () => {
  const base = `services:
  web:
    image: acme/shop
    command: npm run dev
    ports: [3000]
    environment: { LEVEL: debug, COLOR: red }
    volumes: [".:/app"]
  db: { image: postgres }
`;

  it("are merged", () => {
    const { gantryJson, variables, untaken } = importOf(
      base,
      `services:
  web:
    build: .
    command: npm start
    environment: ["LEVEL=info"]
    volumes: !reset null
    ports: !override [4000]
  worker:
    extends: web
    command: npm run work
    ports: !reset []
`,
    );
    expect(gantryJson?.processes).toEqual({
      web: { command: "npm start", container_port: 4000 },
      worker: { command: "npm run work" },
    });
    expect(variables.plain).toEqual([
      { name: "LEVEL", value: "info" },
      { name: "COLOR", value: "red" },
    ]);
    expect(untaken.map(({ what }) => what)).not.toContain("the volume /app");
    // A service extends another of its own file, before the files are merged.
    const file = "services: { web: { command: a }, job: { extends: web, ports: !reset [] } }";
    const { roles } = importOf("services: { web: { build: . }, db: { image: postgres } }", file);
    expect(roles.foreign).toEqual([{ name: "job", image: null, pulled: null }]);
  });

  it("may each complete the services of the first", () => {
    const { gantryJson } = importOf(base, "services: { web: { build: { target: prod } }, db: {} }");
    expect(gantryJson?.dockerfile).toEqual({ path: "Dockerfile", context: ".", target: "prod" });
    const single = readComposeFiles([{ path: "prod.yaml", text: "services: { web: {} }" }]);
    expect(single).toMatchObject({ problem: { hint: expect.stringContaining("compose.yaml FILE") } });
  });

  it("may merge maps that contain themselves", () => {
    const cyclic = "services: { web: &a { build: ., x-a: *a } }";
    expect(importOf(cyclic, cyclic).gantryJson?.processes).toEqual({ web: {} });
  });
});

describe("a service that extends", () => {
  const text = (target: string) => `services:
  web: { build: ., ports: [80], environment: [A=1] }
  job: { extends: ${target}, command: j, environment: { B: 2 } }
`;

  it.each(["web", "{ service: web }"])("%s of its file has its fields", (target) => {
    const { gantryJson, variables } = importOf(text(target));
    expect(gantryJson?.processes).toEqual({ web: { container_port: 80 }, job: { command: "j" } });
    expect(variables.plain.map(({ name }) => name)).toEqual(["A", "B"]);
    expect(untakenOf(text(target))).not.toContain("extends (job)");
  });

  it("a service of another file, or in a circle, does not take it", () => {
    expect(untakenOf("services: { web: { build: ., extends: { file: a.yaml, service: web } } }")).toEqual([
      "extends (web)",
    ]);
    expect(untakenOf("services: { web: { build: ., extends: web } }")).toEqual(["extends (web)"]);
  });
});

describe("a Compose file with images of a registry", () => {
  const umami = `services:
  nginx: { image: "nginx:1", ports: [80] }
  worker: { image: "ghcr.io/acme/shop:\${TAG:-v2}", command: [work, hard], scale: 2 }
  shop:
    image: ghcr.io/acme/shop:v2
    ports: ["3000:3000"]
    healthcheck: { test: ["CMD-SHELL", "curl -f http://localhost:3000/up || exit 1"] }
    volumes: ["files:/app/files"]
  mail: { image: axllent/mailpit }
  other: { image: "acme/\${NAME}" }
  db: { image: "postgres:17" }
`;

  it("becomes the settings of a project", () => {
    const { gantryJson, project, healthCheck, sharedPaths, roles } = importOf(umami);
    expect({ gantryJson, project, healthCheck, sharedPaths }).toEqual({
      gantryJson: null,
      project: {
        name: "shop",
        image: { repository: "docker://ghcr.io/acme/shop", tag: "v2", digest: null },
        processes: { web: { container_port: 3000 }, worker: { command: "work hard", instances: 2 } },
        releaseCommand: null,
      },
      healthCheck: "/up",
      sharedPaths: ["files"],
    });
    expect(roles.proxies).toEqual([{ name: "nginx", image: "nginx:1" }]);
    expect(roles.foreign.map(({ name, pulled }) => [name, pulled?.repository ?? null])).toEqual([
      ["mail", "docker://docker.io/axllent/mailpit"],
      ["other", null],
    ]);
  });

  it.each([
    ["ghost", "docker://docker.io/library/ghost", "latest", null],
    ["docker.io/redis:7", "docker://docker.io/library/redis", "7", null],
    ["localhost:5000/a/b:c", "docker://localhost:5000/a/b", "c", null],
    [`a/b@sha256:${"0".repeat(64)}`, "docker://docker.io/a/b", "latest", "0".repeat(64)],
    [`a.test/b:1@sha256:${"0".repeat(64)}`, "docker://a.test/b", "1", "0".repeat(64)],
  ])("%s is %s with the tag %s", (image, repository, tag, digest) => {
    expect(pulledImage(image)).toEqual({ repository, tag, digest });
  });

  it.each(["acme/$NAME", "Acme/Shop", "a b", ":v1", "a@sha256:1"])("%s is no image", (image) => {
    expect(pulledImage(image)).toBeNull();
  });
});

describe("the services of a Compose file", () => {
  it("are the processes of the service for visitors, which is no proxy and no worker", () => {
    const { gantryJson } = importOf(`services:
  proxy: { build: proxy, ports: [80] }
  worker: { build: ., command: work, ports: [9000] }
  backend: { build: ., ports: [443, 8000] }
`);
    expect(gantryJson?.processes).toEqual({ web: { container_port: 8000 }, worker: { command: "work" } });
  });

  it("are the release command if others start after their success", () => {
    const text = `services:
  web:
    build: .
    depends_on: { migrate: { condition: service_completed_successfully } }
  migrate: { build: ., command: [bin/migrate, up], restart: "no" }
`;
    expect(importOf(text).gantryJson).toEqual({
      framework: "dockerfile",
      processes: { web: {} },
      release_command: "bin/migrate up",
    });
    expect(untakenOf(text)).toEqual(["depends_on (web)"]);
  });

  it("with a profile are left out beside one without", () => {
    const text = "services: { web: { build: . }, debug: { build: ., command: d, profiles: [debug] } }";
    expect(importOf(text).gantryJson?.processes).toEqual({ web: {} });
    expect(untakenOf(text)).toEqual(["profiles (debug)"]);
    expect(importOf(text.replace("build: . }", "build: ., profiles: [a] }")).gantryJson?.processes).toEqual({
      web: {},
      debug: { command: "d" },
    });
  });

  it("share no path that has files of the repository, or is read-only", () => {
    const { sharedPaths, untaken } = importOf(
      "services: { web: { build: ., volumes: [./src:/app/src, ./c.yml:/app/c.yml:ro, ./data:/app/data] } }",
    );
    expect(sharedPaths).toEqual(["data"]);
    expect(untaken.map(({ advice }) => advice)).toEqual([
      expect.stringContaining("files of the repository"),
      expect.stringContaining("read-only"),
    ]);
  });

  it("have keys of their build that are not taken", () => {
    expect(untakenOf("services: { web: { build: { context: ., secrets: [token], tags: [a] } } }")).toEqual([
      "build.secrets (web)",
    ]);
  });

  it.each<[string, string | null, number | null]>([
    ['["CMD", "wget", "--spider", "http://127.0.0.1:8080/health"]', "/health", 8080],
    ['"curl -s --noproxy localhost localhost:4000/api/v1/ok | grep OK"', "/api/v1/ok", 4000],
    ['"curl -f http://localhost"', "/", null],
    ['"curl ${URL:-localhost:3000/up}"', "/up", 3000],
    ['"curl -k https://localhost:443/up"', null, null],
    ['"pg_isready -h localhost"', null, null],
    ['"curl http://localhost:3000/$$PAGE"', null, null],
    ["[NONE]", null, null],
  ])("with the health check %s have the path %j", (check, path, port) => {
    const { gantryJson, healthCheck, untaken } = importOf(
      `services: { web: { build: ., healthcheck: { test: ${check} } } }`,
    );
    expect([healthCheck, gantryJson?.processes?.["web"]?.container_port ?? null]).toEqual([path, port]);
    expect(untaken.map(({ what }) => what)).toEqual(path === null ? ["healthcheck"] : []);
  });
});
