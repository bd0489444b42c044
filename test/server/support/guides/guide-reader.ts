import { copyFile, mkdir } from "node:fs/promises";

import type { Gantry } from "../../../openapi/support/gantry.ts";
import { AUTHORITY, prepareIngress } from "../app-server.ts";
import { freePort } from "../../../support/free-port.ts";
import { servePackages } from "../package-registry.ts";
import { DebianMachine } from "../debian-machine.ts";
import { Outside } from "./outside.ts";
import type { GuideStep, Place } from "./read-guide.ts";

const REPOSITORIES = "/srv/repositories";
const HOME = "/srv/ada";

/** How curl reaches the ingress. A new domain has its certificate a moment after the deployment. */
const CURL = `cacert = ${AUTHORITY}\nretry = 20\nretry-delay = 1\nretry-all-errors\nsilent\nshow-error\n`;

/** The time and the stage before each line of a log that is printed to a pipe. The guides show neither. */
const LOG_COLUMNS = /^\d{4}-\d\d-\d\dT[\d:.]+Z [a-z]+ +/;

/**
 * Follows a guide: on a fresh Debian that is the server, and in a folder of it that is the reader's computer. The names
 * of the guide stand for the test's names: the control plane, the domain, the repository, the enrolment token and the
 * project's id.
 */
export class GuideReader {
  readonly machine: DebianMachine;
  readonly #gantry: Gantry;
  readonly #httpsPort: number;
  readonly #name: string;
  #folder = `${HOME}/shop`;
  #token = "";
  #project = "";
  #outside: Outside | null = null;

  private constructor(machine: DebianMachine, gantry: Gantry, httpsPort: number, name: string) {
    this.machine = machine;
    this.#gantry = gantry;
    this.#httpsPort = httpsPort;
    this.#name = name;
  }

  /** @param program the bundled command */
  static async start(name: string, gantry: Gantry, program: string): Promise<GuideReader> {
    const machine = await DebianMachine.boot();
    await machine.allowLocalRepositoriesStrictly();
    const reader = new GuideReader(machine, gantry, await prepareIngress(machine), name);
    await mkdir(`${machine.root}${HOME}/shop`, { recursive: true });
    await copyFile(program, `${machine.root}/usr/local/lib/gantry.mjs`);
    await machine.write("/usr/local/bin/gantry", '#!/bin/sh\nexec node /usr/local/lib/gantry.mjs "$@"\n');
    await machine.write(`${HOME}/.curlrc`, CURL);
    await machine.write(
      `${HOME}/.gitconfig`,
      "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n[safe]\n\tdirectory = *\n",
    );
    await machine.tell(
      `chmod +x /usr/local/bin/gantry && mkdir -p ${REPOSITORIES} && git -c safe.directory='*' init --quiet --bare --initial-branch=main ${REPOSITORIES}/shop.git`,
    );
    return reader;
  }

  /**
   * Makes the app that the guide begins with, as its generator would, in a repository that is pushed. The packages of
   * languages come from a registry of the machine.
   */
  async generate(files: Readonly<Record<string, string>>): Promise<void> {
    await servePackages(this.machine, await freePort());
    for (const [path, text] of Object.entries(files))
      await this.machine.write(`${this.#folder}/${path}`, text);
    await this.run(
      "computer",
      "git init --quiet\ngit remote add origin git@github.com:you/shop.git\ngit add --all\ngit commit --quiet --message new\n",
    );
  }

  /** Gives the reader a private repository at GitHub, and ntfy. */
  async useOutside(): Promise<void> {
    this.#outside = await Outside.start(this.machine, HOME);
  }

  /** The messages that ntfy has received. */
  async messages(): Promise<readonly string[]> {
    return (await this.#outside?.messages()) ?? [];
  }

  /** Does what a step says. @throws with the output if it fails, or if the output is not as the guide says */
  async follow(step: GuideStep): Promise<void> {
    if (step.kind === "file") {
      await this.machine.write(`${this.#folder}/${step.path}`, this.#ownNames(step.text));
      return;
    }
    const output = await this.run(step.place, step.script);
    const lines = output.split("\n").map((line) => comparable(line.replace(LOG_COLUMNS, "")));
    const missing = step.output.filter((expected) => !lines.some((line) => fits(line, comparable(expected))));
    if (missing.length > 0)
      throw new Error(
        `the guide's block in line ${step.line} does not print:\n${missing.join("\n")}\nbut:\n${output}`,
      );
  }

  /** Runs shell lines of a guide. @returns the output, with the guide's names */
  async run(place: Place, lines: string): Promise<string> {
    const isComputer = place === "computer";
    const { url, token } = this.#gantry;
    const env = isComputer
      ? { HOME, GANTRY_URL: url, GANTRY_TOKEN: token, COMPOSER_ALLOW_SUPERUSER: "1" }
      : { GANTRY_CADDY: "/opt/caddy", DEBIAN_FRONTEND: "noninteractive" };
    const folder = isComputer ? this.#folder : "/root";
    const script = `cd ${folder}\nset -e\n${this.#ownNames(lines)}\npwd > /tmp/guide-folder\n`;
    const { code, output } = await this.machine.run(script, env);
    if (process.env["GANTRY_SHOW_GUIDES"] !== undefined)
      console.log(`${lines}--- ${place}: exit code ${code}\n${this.#guideNames(output)}`);
    this.#token = /gantry_enroll_\w+/.exec(output)?.[0] ?? this.#token;
    this.#project = /proj_\w+/.exec(output)?.[0] ?? this.#project;
    if (code !== 0) throw new Error(`on the ${place}:\n${lines}\nended with ${code}:\n${output}`);
    if (isComputer) this.#folder = await this.machine.tell("cat /tmp/guide-folder");
    // The agent's git reads only repositories of its own user.
    await this.machine.run(`chown -R gantry ${REPOSITORIES}`);
    return this.#guideNames(output);
  }

  async close(): Promise<void> {
    await this.#outside?.close();
    await this.machine.close();
  }

  /** Other files of tests use the same control plane, where a project named `rails` gets the domain rails.localhost. */
  get #domain(): string {
    return `guide-${this.#name}.localhost`;
  }

  #ownNames(text: string): string {
    const outside = this.#outside?.names ?? [];
    return outside
      .reduce((changed, [theirs, ours]) => changed.replaceAll(theirs, ours), text)
      .replaceAll("https://gantry.example.com", this.#gantry.url)
      .replaceAll("gantry_enroll_…", this.#token)
      .replaceAll("proj_…", this.#project)
      .replaceAll("git@github.com:you/", `${REPOSITORIES}/`)
      .replaceAll("https://shop.example.com", `https://${this.#domain}:${this.#httpsPort}`)
      .replaceAll("shop.example.com", this.#domain);
  }

  #guideNames(text: string): string {
    return text
      .replaceAll(this.#gantry.url, "https://gantry.example.com")
      .replaceAll(/gantry_enroll_\w+/g, "gantry_enroll_…")
      .replaceAll(`${REPOSITORIES}/`, "git@github.com:you/")
      .replaceAll(`https://${this.#domain}:${this.#httpsPort}`, "https://shop.example.com")
      .replaceAll(this.#domain, "shop.example.com");
  }
}

/** A line without what differs from run to run: numbers, commits, ids and the width of columns. */
function comparable(line: string): string {
  return line
    .replaceAll(/\b(?:[a-z]+_)[0-9a-hjkmnp-tv-z]{26}\b/gi, "ID")
    .replaceAll(/\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b/g, "0")
    .replaceAll(/\d+(?:[.:,]\d+)*/g, "0")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** Whether a line is as expected, where each `…` stands for any text. */
function fits(line: string, expected: string): boolean {
  const [first = "", ...others] = expected.split("…");
  if (others.length === 0) return line === expected;
  if (!line.startsWith(first)) return false;
  let at = first.length;
  for (const part of others.slice(0, -1)) {
    const found = line.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  const last = others.at(-1) ?? "";
  return line.endsWith(last) && line.length - last.length >= at;
}
