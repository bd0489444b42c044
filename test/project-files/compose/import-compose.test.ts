import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { MAX_FAILURE_HINT, MAX_FAILURE_MESSAGE } from "#contract/endpoints/deployments/schemas.ts";
import { chooseBuild } from "#build/choose-build.ts";
import { surveyTree } from "#project-files/frameworks/tree.ts";
import { importCompose } from "#project-files/compose/import-compose.ts";
import { composeFiles, MAX_COMPOSE_BYTES } from "#project-files/compose/compose-files.ts";
import { readCompose } from "#project-files/compose/read-compose.ts";
import { databaseOf } from "#project-files/compose/roles.ts";
import { readGantryJson } from "#project-files/processes/read-gantry-json.ts";
import { readRepositoryFiles } from "#project-files/processes/repository-files.ts";

const lineOf = (words: readonly string[]) =>
  words.map((word) => (/^[\w./-]+$/.test(word) ? word : `'${word}'`)).join(" ");

function importOf(
  text: string,
  { folder = "", workdir = "/app" }: { folder?: string; workdir?: string | null } = {},
) {
  const read = readCompose(text, "compose.yaml");
  if (!read.ok) throw new Error(read.problem.message);
  return importCompose(read.value, { folder, workdir, isCommitted: (source) => source === "./src", lineOf });
}

const untakenOf = (text: string) =>
  importOf(text).untaken.map(({ what, services }) => `${what} (${services.join(", ")})`);
const webOf = (lines: string) =>
  importOf(`services:\n  web:\n    build: .\n${lines.replace(/^/gm, "    ")}\n`);

const shop = `
x-app: &app
  build: ./app
  env_file: [.env, { path: ./more.env }]
  environment: &env
    RAILS_ENV: production
    DATABASE_URL: postgres://shop:hush@db:5432/shop
    REDIS_HOST: redis
    SECRET_KEY_BASE: abc
    MAIL_FROM: \${MAIL_FROM}
    PORT: 3000
  depends_on: [db, redis]
  restart: unless-stopped
services:
  app:
    <<: *app
    ports: ["80:3000"]
    volumes: ["storage:/app/storage", ".:/app", "./app.yml:/etc/app.yml:ro"]
  sidekiq:
    <<: *app
    command: [bundle, exec, sidekiq, -q, "default mailers"]
    environment: { <<: *env, RAILS_ENV: staging }
    deploy: { replicas: 2, resources: { limits: { memory: 512M } } }
    stop_grace_period: 1m30s
    stop_signal: TERM
  admin: { build: { context: admin, target: web } }
  db: { image: "postgres:17", privileged: true }
  redis: { image: "redis:8-alpine" }
  proxy: { image: "traefik:v3" }
volumes: { storage: {} }
networks: { front: {} }
`;

describe("a Compose file", () => {
  it("becomes a gantry.json, shared paths and variables", () => {
    const { gantryJson, sharedPaths, variables } = importOf(shop);
    expect(gantryJson).toEqual({
      framework: "dockerfile",
      dockerfile: { path: "app/Dockerfile", context: "app" },
      processes: {
        web: { container_port: 3000 },
        sidekiq: {
          command: "bundle exec sidekiq -q 'default mailers'",
          instances: 2,
          memory_mb: 512,
          stop_signal: "SIGTERM",
          stop_seconds: 90,
        },
      },
    });
    expect(sharedPaths).toEqual(["storage"]);
    expect(variables).toEqual({
      plain: [{ name: "RAILS_ENV", value: "production" }],
      secrets: ["SECRET_KEY_BASE"],
      unknown: ["MAIL_FROM"],
      addresses: [
        { name: "DATABASE_URL", service: "db", isSecret: true },
        { name: "REDIS_HOST", service: "redis", isSecret: false },
      ],
      different: ["RAILS_ENV"],
      files: [".env", "more.env"],
    });
  });

  it("has services that Gantry does not run, and keys that it does not take", () => {
    const { roles, untaken } = importOf(shop);
    expect(roles.databases).toEqual([
      { name: "db", image: "postgres:17", title: "PostgreSQL" },
      { name: "redis", image: "redis:8-alpine", title: "Redis" },
    ]);
    expect(roles.proxies).toEqual([{ name: "proxy", image: "traefik:v3" }]);
    expect(roles.others).toEqual([{ name: "admin", from: "Dockerfile in admin, stage web", isHere: true }]);
    expect(untaken.map(({ what, services }) => `${what} (${services.join(", ")})`)).toEqual([
      "its name (app)",
      "the volume /app (app)",
      "the volume /etc/app.yml (app)",
      "networks ()",
      "depends_on (app, sidekiq)",
    ]);
  });

  it.each<[string, string, object]>([
    ["ports: [3000]", "a port", { container_port: 3000 }],
    ['ports: ["127.0.0.1:8080:3000/tcp"]', "an address", { container_port: 3000 }],
    ['ports: ["${PORT:-8080}:3000"]', "a variable", { container_port: 3000 }],
    ["ports: [{ target: 3000, published: 80 }]", "a map", { container_port: 3000 }],
    ['ports: ["53:53/udp"]\nexpose: ["8000"]', "another protocol", { container_port: 8000 }],
    ["command: npm start && true", "a line", { command: "npm start && true" }],
    ["command: echo $$HOME", "an escaped dollar", { command: "echo $HOME" }],
    ["command: []", "no command", {}],
    ["scale: 3", "a scale", { instances: 3 }],
    ["mem_limit: 1.5g", "gigabytes", { memory_mb: 1536 }],
    ["mem_limit: 268435456", "bytes", { memory_mb: 256 }],
    ["stop_signal: SIGQUIT", "a signal", { stop_signal: "SIGQUIT" }],
    ["network_mode: host", "the network of the server", { network: "host" }],
  ])("has %j, which is %s", (lines, _, web) => {
    expect(webOf(lines).gantryJson?.processes).toEqual({ web });
  });

  it.each([
    ["privileged: true", ["privileged (web)"]],
    ["privileged: false\nrestart: always\ninit: true", []],
    ['restart: "no"', ["restart (web)"]],
    ["volumes: [/var/run/docker.sock:/var/run/docker.sock]", ["the volume /var/run/docker.sock (web)"]],
    ["volumes: [/app/node_modules]", ["the volume /app/node_modules (web)"]],
    ["network_mode: service:vpn", ["network_mode (web)"]],
    ["extends: { file: base.yaml, service: web }", ["extends (web)"]],
    ["scale: 40\nmem_limit: 1m", ["instances 40 (web)", "memory_mb 1 (web)"]],
    ["stop_signal: SIGWINCH", ["stop_signal SIGWINCH (web)"]],
    ["deploy: { replicas: 1, placement: {} }", ["deploy.placement (web)"]],
    ["ports: [80, 443]", ["the ports 443 (web)"]],
    ["entrypoint: [x]\nuser: me\nworking_dir: /x", ["entrypoint (web)", "user (web)", "working_dir (web)"]],
  ])("cannot have taken %j", (lines, untaken) => {
    expect(webOf(lines).untaken.map(({ what, services }) => `${what} (${services.join(", ")})`)).toEqual(
      untaken,
    );
  });

  it("names processes that need a command, and names that none can have", () => {
    const text =
      "services:\n  web: { build: . }\n  job: { build: . }\n  Work_1: { build: ., command: a }\n  _1: { build: ., command: b }\n";
    expect(importOf(text).gantryJson?.processes).toEqual({ web: {}, work_1: { command: "a" } });
    expect(untakenOf(text)).toEqual(["a process without a command (job)", "its name (_1)"]);
  });

  it("has one image for services that name the same one, and takes the service web first", () => {
    const text =
      "services:\n  app: { build: ., image: shop, ports: [80] }\n  web: { build: web }\n  job: { image: shop, command: j }\n";
    const { roles } = importOf(text);
    expect(roles.image).toEqual({ path: "web/Dockerfile", context: "web", target: null });
    expect(roles.others).toEqual([{ name: "app", from: "Dockerfile", isHere: true }]);
    const shared = importOf(text.replace("  web: { build: web }\n", ""));
    expect(Object.keys(shared.gantryJson?.processes ?? {})).toEqual(["web", "job"]);
  });

  it.each<[string, string, object | null | undefined]>([
    ["./app", "", { path: "app/Dockerfile", context: "app" }],
    ["..", "docker", undefined],
    ["../app", "docker", { path: "app/Dockerfile", context: "app" }],
    ["..", "", null],
    ["/srv/app", "", null],
    ["https://git.test/shop.git", "", null],
    ["${CONTEXT}", "", null],
  ])("builds %s of a file in the folder %j", (context, folder, dockerfile) => {
    const { gantryJson } = importOf(`services: { web: { build: { context: "${context}" } } }`, { folder });
    if (dockerfile === null) expect(gantryJson).toBeNull();
    else expect(gantryJson?.dockerfile).toEqual(dockerfile);
  });

  it("knows no place of volumes if the Dockerfile says no folder", () => {
    const { sharedPaths, untaken } = importOf(shop, { workdir: null });
    expect(sharedPaths).toEqual([]);
    expect(untaken.find(({ what }) => what === "the volume /app/storage")?.advice).toMatch(/WORKDIR/);
  });

  it.each([
    ["postgres:17", "PostgreSQL"],
    ["docker.io/bitnami/postgresql:17@sha256:abc", "PostgreSQL"],
    ["registry.test:5000/mariadb", "MariaDB"],
    ["valkey/valkey:8", "Redis"],
    ["mongo", "MongoDB"],
    ["my-postgres-exporter", null],
    ["nginx", null],
  ])("with the image %s has %s", (image, title) => {
    expect(databaseOf(image)).toBe(title);
  });
});

const problemOf = (text: string) => {
  const read = readCompose(text, "compose.yaml");
  return read.ok ? null : read.problem;
};

const manyServices = `services:\n${Array.from({ length: 101 }, (_, at) => `  s${at}: { image: a }\n`).join("")}`;

const bomb = (join: (before: string) => string) =>
  Array.from({ length: 12 }, (_, at) =>
    at === 0 ? "a0: &a0 { k: v }" : `a${at}: &a${at} ${join(`*a${at - 1}`)}`,
  ).join("\n");

describe("a Compose file that cannot be used", () => {
  it.each<[string, string, RegExp, RegExp]>([
    ["is not YAML", "services:\n  web: {", /^line \d of compose\.yaml is not YAML: /, /^Correct line/],
    [
      "has a key twice",
      "services:\n  a: { image: x }\n  a: { image: y }",
      /Map keys must be unique/,
      /line 3/,
    ],
    ["has two documents", "services: {}\n---\nservices: {}", /multiple documents/, /Correct/],
    ["is a text", "services", /defines no services/, /key `services`/],
    ["is a list", "- services", /defines no services/, /key `services`/],
    ["is empty", "", /defines no services/, /key `services`/],
    ["has no services", "services: {}", /defines no services/, /key `services`/],
    ["has a list of services", "services: [web]", /defines no services/, /key `services`/],
    ["has a service without fields", "services: { web: }", /the service web .* has no fields/, /`build`/],
    [
      "is of the first version",
      "web:\n  build: .\ndb:\n  image: postgres",
      /first version/,
      /indent the services/,
    ],
    ["only includes", "include: [a.yaml]", /no services of its own/, /FILE/],
    ["has an alias without an anchor", "services: *all", /not YAML|cannot be read/, /Correct/],
    [
      "has a bomb of aliases",
      bomb((one) => `[${Array(9).fill(one).join(", ")}]`),
      /more than 500 copies/,
      /in its place/,
    ],
    [
      "has a bomb of merges",
      bomb((one) => `{ <<: [${Array(9).fill(one).join(", ")}] }`),
      /more than 500 copies/,
      /in its place/,
    ],
    ["has many aliases", `a: &a 1\nb: [${"*a, ".repeat(501)}]`, /more than 500 copies/, /in its place/],
    ["is nested too deeply", "[".repeat(20_000), /line 1 of compose\.yaml is not YAML/, /Correct/],
    ["is too large", `services:\n#${"x".repeat(MAX_COMPOSE_BYTES)}`, /larger than 64 KiB/, /right file/],
    ["has too many services", manyServices, /101 services/, /Divide/],
  ])("%s", (_, text, message, hint) => {
    expect(problemOf(text)?.message).toMatch(message);
    expect(problemOf(text)?.hint).toMatch(hint);
  });

  it("is read in less than two seconds of CPU time, whatever it has", () => {
    const lines = [
      "  s: { a: b }",
      "  - x",
      "x: &x y",
      "a: *x",
      "? a",
      "- - - -",
      "'",
      "# c",
      "  <<: { a: b }",
      "{a: [b, {c: d}]}",
    ];
    for (const line of lines) {
      const start = process.cpuUsage();
      readCompose(
        `services:\n${`${line}\n`.repeat(MAX_COMPOSE_BYTES / (line.length + 1) - 1)}`,
        "compose.yaml",
      );
      readCompose(
        Array.from({ length: 2_500 }, (_, at) => `${line.trim()}${at}: &a${at} *a${at - 1}`).join("\n"),
        "compose.yaml",
      );
      const { user, system } = process.cpuUsage(start);
      expect(user + system, line).toBeLessThan(4_000_000);
    }
  });

  it("may merge a map with itself", () => {
    const { gantryJson } = importOf("services:\n  web: &web\n    build: .\n    <<: *web\n    command: a\n");
    expect(gantryJson?.processes).toEqual({ web: { command: "a" } });
  });
});

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, true, "a", "a: b", "80:80", ".", "$X", "1m", 3, -1, "<<"),
    fc.string(),
    tie("list"),
    tie("map"),
  ),
  list: fc.array(tie("any"), { maxLength: 4 }),
  map: fc.dictionary(
    fc.constantFrom(
      "build",
      "image",
      "command",
      "ports",
      "environment",
      "env_file",
      "volumes",
      "deploy",
      "target",
      "source",
      "context",
      "dockerfile",
      "__proto__",
      "<<",
      "stop_signal",
      "scale",
    ),
    tie("any"),
    { maxKeys: 8 },
  ),
})).map;

describe("any Compose file", () => {
  it("is refused, or becomes a gantry.json that is valid, and never throws", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.oneof(fc.constantFrom("web", "Ünder", "__proto__"), fc.string()), value),
        (services) => {
          const read = readCompose(JSON.stringify({ services }), "compose.yaml");
          if (!read.ok) return;
          const { gantryJson } = importCompose(read.value, {
            folder: "",
            workdir: "/app",
            isCommitted: () => false,
            lineOf,
          });
          if (gantryJson !== null)
            expect(readGantryJson(JSON.stringify(gantryJson))).toMatchObject({ ok: true });
        },
      ),
    );
    fc.assert(fc.property(fc.string(), (text) => void readCompose(text, "compose.yaml")));
  });
});

describe("a repository with only a Compose file", () => {
  const files = readRepositoryFiles(new Map());
  const choose = (all: Readonly<Record<string, string>>) => {
    if (!files.ok) throw new Error(files.problem.message);
    const path = composeFiles.find((name) => name in all) ?? "";
    const compose = { path, read: readCompose(all[path] ?? "", path) };
    return chooseBuild({ ...surveyTree(new Map(Object.entries(all)), []), compose }, files.value, {});
  };

  it("is refused with its services, and with what to do about each", () => {
    const { problem } = choose({ "compose.yaml": shop, "README.md": "" });
    expect(problem).toEqual({
      message:
        "compose.yaml defines app, sidekiq, admin, db, redis, proxy, and Gantry does not run Compose files",
      hint: "Run `gantry import compose`: it prints the gantry.json that builds app, sidekiq from app/Dockerfile. Gantry runs no databases (db, redis): use one on a server, or elsewhere. Its ingress does the work of proxy. Make projects of their own of admin.",
    });
  });

  it("is refused with what is wrong in the file", () => {
    expect(choose({ "docker-compose.yml": "services: {" }).problem?.message).toMatch(
      /^line 1 of docker-compose\.yml is not YAML/,
    );
    const foreign = choose({ "compose.yml": "services: { web: { image: nginx } }" });
    expect(foreign.problem?.hint).toBe(
      "No service is built from a Dockerfile of this repository. Its ingress does the work of web.",
    );
  });

  it("has hints that fit into a failure", () => {
    const name = (at: number) => `service-${at}-${"x".repeat(100)}`;
    const services = Array.from({ length: 90 }, (_, at) => [
      name(at),
      [{ build: "." }, { build: `b${at}` }, { image: "postgres" }, { image: "nginx" }][at % 4],
    ]);
    const { problem } = choose({
      "compose.yaml": JSON.stringify({ services: Object.fromEntries(services) }),
    });
    expect(problem?.message.length).toBeLessThan(MAX_FAILURE_MESSAGE);
    expect(problem?.hint?.length).toBeLessThan(MAX_FAILURE_HINT);
  });
});
