import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { createCli, jsonOf } from "../../cli/support/command.ts";
import { readGuide } from "../../server/support/guides/read-guide.ts";

const cli = createCli();
let folders = 0;

/** A folder with these files. */
function folderWith(files: Readonly<Record<string, string>>): string {
  folders += 1;
  const folder = join(cli.home, `app-${folders}`);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const compose = `services:
  web:
    build: .
    ports: ["80:3000"]
    env_file: .env
    environment: { LOG_LEVEL: "very high", TOKEN: hush, DATABASE_URL: "postgres://a:b@db/shop" }
    volumes: ["files:/srv/app/files", "/var/run/docker.sock:/var/run/docker.sock"]
    depends_on: [db]
  worker: { build: ., command: node worker.js }
  db: { image: "postgres:17" }
volumes: { files: {} }
`;
const Dockerfile = "FROM node:24\nWORKDIR /srv/app\n";

describe("gantry import compose", () => {
  it("prints a gantry.json, the commands to run, and what is not taken", async () => {
    const folder = folderWith({ "compose.yaml": compose, Dockerfile });
    const { code, stdout, stderr } = await cli.run(["import", "compose"], { folder });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const json = {
      framework: "dockerfile",
      processes: { web: { container_port: 3000 }, worker: { command: "node worker.js" } },
    };
    expect(stdout).toBe(
      [
        "gantry.json:",
        JSON.stringify(json, null, 2),
        "",
        "Commands:",
        "gantry projects set --shared-path files",
        "gantry variables set LOG_LEVEL='very high'",
        "gantry variables set --secret TOKEN --secret DATABASE_URL",
        "gantry variables import .env",
        "",
        "Variables to set by hand:",
        "DATABASE_URL: its value names db, which does not run in the project",
        "",
        "Not run by Gantry:",
        "db (postgres:17): install PostgreSQL on a server, or use one elsewhere, and set its address as a variable",
        "",
        "Not taken:",
        "the volume /var/run/docker.sock (web): containers do not control the server's containers",
        "depends_on (web): all processes start at the same time: let the app try again until what it needs answers",
        "",
        "",
      ].join("\n"),
    );
    expect(stdout).not.toMatch(/hush|a:b/);
    // What it prints is what a deployment uses.
    writeFileSync(join(folder, "gantry.json"), JSON.stringify(json));
    const again = await cli.run(["import", "compose"], { folder });
    expect(again.stderr).toContain("gantry.json exists already: add these keys to it.");
  });

  it("reads a file in a folder, whose paths are relative to it", async () => {
    const folder = folderWith({ "docker/prod.yml": compose.replaceAll("build: .", "build: .."), Dockerfile });
    const { stdout } = await cli.run(["import", "compose", "docker/prod.yml", "--json"], { folder });
    expect(jsonOf(stdout)).toMatchObject({
      file: "docker/prod.yml",
      gantry_json: { framework: "dockerfile", processes: { web: { container_port: 3000 } } },
      shared_paths: ["files"],
      variables: { plain: { LOG_LEVEL: "very high" }, secrets: ["TOKEN"], files: ["docker/.env"] },
      databases: [{ name: "db", image: "postgres:17", title: "PostgreSQL" }],
      not_taken: [{ what: "the volume /var/run/docker.sock" }, { what: "depends_on", services: ["web"] }],
    });
  });

  it("merges files, leaves out what the repository has, and names a file that it does not read", async () => {
    const folder = folderWith({
      "compose.yaml": compose,
      "compose.prod.yaml": "services: { web: { volumes: ['./src:/srv/app/src'], scale: 2 } }",
      "compose.override.yaml": "services: {}",
      "src/a.js": "",
      Dockerfile,
    });
    const both = ["import", "compose", "compose.yaml", "compose.prod.yaml", "--json"];
    const merged = jsonOf((await cli.run(both, { folder })).stdout);
    expect(merged).toMatchObject({
      file: "compose.yaml and compose.prod.yaml",
      gantry_json: { processes: { web: { container_port: 3000, instances: 2 } } },
      shared_paths: ["files"],
    });
    const { stderr } = await cli.run(["import", "compose"], { folder });
    expect(stderr).toContain("compose.override.yaml is not read");
  });

  it("prints the command for a project with an image of a registry", async () => {
    const digest = "0".repeat(64);
    const text = `services:
  shop:
    image: ghcr.io/acme/shop:v2@sha256:${digest}
    ports: ["80:3000"]
    healthcheck: { test: curl localhost:3000/up }
    environment: { MAIL: "\${MAIL}" }
  worker: { image: "ghcr.io/acme/shop:v2@sha256:${digest}", command: bin/work hard }
  mail: { image: axllent/mailpit }
`;
    const { code, stdout } = await cli.run(["import", "compose"], {
      folder: folderWith({ "compose.yml": text }),
    });
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        "Commands:",
        "gantry projects create shop --repository docker://ghcr.io/acme/shop --branch v2 --process web.container_port=3000 --process worker.command='bin/work hard' --health-check /up --link",
        `gantry deploy --commit sha256:${digest}`,
        "",
        "Variables to set by hand:",
        "MAIL: not in the file: Compose has it from .env or from your machine",
        "",
        "Projects of their own:",
        "mail (axllent/mailpit): if visitors reach it by HTTP, a project with --repository docker://docker.io/axllent/mailpit --branch latest",
        "",
        "Not taken:",
        "its name (shop): visitors reach the process web, so it is named web",
        "",
        "",
      ].join("\n"),
    );
  });

  it("prints what the guide says about its files", async () => {
    const steps = readGuide("docker-compose");
    const files = steps.flatMap((step) => (step.kind === "file" ? [[step.path, step.text]] : []));
    const { "gantry.json": json, ...app } = Object.fromEntries(files);
    const guided = steps.find((step) => step.kind === "run" && step.script === "gantry import compose\n");
    const { code, stdout } = await cli.run(["import", "compose"], { folder: folderWith(app) });
    expect(code).toBe(0);
    expect(stdout.split("\n").filter((line) => line !== "")).toEqual(
      guided?.kind === "run" ? guided.output : [],
    );
    expect(jsonOf(stdout.slice("gantry.json:".length, stdout.indexOf("\nCommands:")))).toEqual(
      jsonOf(json ?? ""),
    );
    const text = readFileSync(join(import.meta.dirname, "../../../docs/guides/docker-compose.md"), "utf8");
    const [, yaml = "", printed = "none"] =
      /```yaml\n(services:\n {2}umami[^]*?)```[^]*?```text\n([^]*?)```/.exec(text) ?? [];
    const only = await cli.run(["import", "compose"], { folder: folderWith({ "compose.yaml": yaml }) });
    expect(only.stdout.startsWith(printed)).toBe(true);
  });

  it("fails if there is nothing to build or to run, and says what each service is", async () => {
    const folder = folderWith({ "compose.yml": "services: { web: { image: nginx }, db: { image: mysql } }" });
    const { code, stdout } = await cli.run(["import", "compose"], { folder });
    expect(code).toBe(1);
    expect(stdout).toContain("compose.yml has no service that is built from a Dockerfile in this folder.");
    expect(stdout).toContain(
      "web (nginx): the ingress of the server leads visitors to the app, and has its certificate\n",
    );
    expect(stdout).toContain("db (mysql): install MySQL on a server");
  });

  it.each<[string, readonly string[], string, Readonly<Record<string, string>>]>([
    ["no file", [], "There is no compose.yaml, compose.yml", { x: "" }],
    ["a missing file", ["other.yml"], "other.yml does not exist.", { x: "" }],
    ["a folder", ["docker"], "docker is a folder", { "docker/x": "" }],
    ["a file elsewhere", ["../app-1/compose.yaml"], "in the root directory of the project", { x: "" }],
    ["a file that is not YAML", [], "line 1 of compose.yaml is not YAML", { "compose.yaml": "{" }],
  ])("refuses %s", async (_, words, message, files) => {
    const { code, stdout, stderr } = await cli.run(["import", "compose", ...words], {
      folder: folderWith(files),
    });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
  });
});
