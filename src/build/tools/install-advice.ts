import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";

import { checkVersion } from "#project-files/frameworks/tools/check-version.ts";
import { programOf } from "#project-files/frameworks/tools/command-tools.ts";
import type { ToolRequest } from "#project-files/frameworks/tools/tool-request.ts";
import type { Tool } from "#project-files/frameworks/tools/tool.ts";
import { installCommand } from "#contract/public-paths.ts";

export type System = "debian" | "fedora" | "alpine" | "arch" | "macos" | "other";

const commands = {
  debian: "apt-get install",
  fedora: "dnf install",
  alpine: "apk add",
  arch: "pacman -S",
  macos: "brew install",
} as const satisfies Partial<Record<System, string>>;

/** The packages of a program, if they are not named like it. `null`: the system has none. */
const packages: Readonly<Record<string, Partial<Record<System, string | null>>>> = {
  node: { debian: "nodejs", fedora: "nodejs", alpine: "nodejs", arch: "nodejs" },
  npx: { debian: "npm", fedora: "npm", alpine: "npm", arch: "npm", macos: "node" },
  npm: { macos: "node" },
  pnpm: { debian: "npm", fedora: "npm" },
  yarn: { debian: "npm", fedora: "npm" },
  bun: { debian: null, fedora: null, alpine: null, arch: null },
  deno: { debian: null, fedora: null },
  ruby: { debian: "ruby-full build-essential" },
  bundle: {
    debian: "ruby-bundler ruby-dev build-essential",
    fedora: "rubygem-bundler ruby-devel gcc",
    alpine: "ruby-bundler ruby-dev build-base",
    arch: "ruby-bundler base-devel",
    macos: "ruby",
  },
  python3: { debian: "python3-venv", arch: "python", macos: "python" },
  pip: {
    debian: "python3-venv",
    fedora: "python3-pip",
    alpine: "py3-pip",
    arch: "python-pip",
    macos: "python",
  },
  uv: { debian: null },
  poetry: { debian: "python3-poetry", fedora: "python3-poetry", arch: "python-poetry" },
  pipenv: { arch: "python-pipenv" },
  php: { debian: "php-cli php-mbstring php-xml", fedora: "php-cli php-mbstring php-xml" },
  go: { debian: "golang-go", fedora: "golang" },
  cargo: { arch: "rust", macos: "rust" },
  zola: { debian: null, fedora: null },
  mdbook: { debian: null, fedora: null },
};

/** A program to install. */
export type WantedProgram = {
  readonly program: string;
  /** The tool of the program, whose version the requests are about. */
  readonly tool: Tool | null;
  readonly requests: readonly ToolRequest[];
};

/** What the advice for a server depends on. */
export type AdviceFacts = WantedProgram & {
  /** The address of the control plane, whose installer offers mise. */
  readonly origin: string;
  readonly hasMise: boolean;
};

/** Says how to install a program on this server. */
export async function installAdvice(facts: AdviceFacts): Promise<string> {
  const system = await readSystem();
  const canRunMise = process.platform === "linux" && process.arch === "x64";
  return adviceFor(system, facts, await packageVersion(system, facts), canRunMise);
}

/** The command that installs a program's package; `null` if the system has none with the wanted version. */
export async function packageCommand(wanted: WantedProgram): Promise<string | null> {
  const system = await readSystem();
  return commandFor(system, wanted, await packageVersion(system, wanted));
}

/**
 * Names the system's package if it has the wanted version, and mise otherwise.
 * @param version that the system's package of the tool has; `null`: unknown
 */
export function adviceFor(
  system: System,
  facts: AdviceFacts,
  version: string | null,
  canRunMise: boolean,
): string {
  const command = commandFor(system, facts, version);
  if (command !== null) return `Run \`${command}\` on the server as root.`;
  if (facts.hasMise) return `mise cannot install it. Install ${facts.program} on the server, for all users.`;
  return canRunMise
    ? `Run \`${installCommand(facts.origin)} | sh -s -- --with-mise\` on the server as root: with mise, deployments install the versions that they ask for.`
    : "Install mise on the server (https://mise.jdx.dev): with it, deployments install the versions that they ask for.";
}

function commandFor(system: System, wanted: WantedProgram, version: string | null): string | null {
  const wishes = wishesOf(wanted);
  const found = packageOf(system, wanted.program);
  const fits = version === null ? wishes.length === 0 : checkVersion(wishes, version).kind !== "differs";
  return system !== "other" && found !== null && fits ? `${commands[system]} ${found}` : null;
}

/** The version of the system's package of a tool, if it matters; `null`: unknown. */
async function packageVersion(system: System, wanted: WantedProgram): Promise<string | null> {
  const found = wanted.tool === null ? null : packageOf(system, programOf(wanted.tool));
  const isAsked = system === "debian" && found !== null && wishesOf(wanted).length > 0;
  return isAsked ? await aptVersion(found) : null;
}

function wishesOf({ requests }: WantedProgram): readonly ToolRequest[] {
  return requests.filter(({ strength }) => strength !== "default");
}

function packageOf(system: System, program: string): string | null {
  const named = packages[program]?.[system];
  return named === undefined ? program : named;
}

/** The version of a package of Debian that apt would install; `null` if it has none. */
async function aptVersion(name: string): Promise<string | null> {
  const [first = name] = name.split(" ");
  const options = { timeout: 5_000, maxBuffer: 64 * 1024 };
  const answer = await new Promise<string>((resolve) =>
    execFile("apt-cache", ["policy", first], options, (error, stdout) =>
      resolve(error === null ? stdout : ""),
    ),
  );
  return /^ {2}Candidate: (?:\d+:)?(\d[^\s+~-]*)/m.exec(answer)?.[1] ?? null;
}

async function readSystem(): Promise<System> {
  if (process.platform === "darwin") return "macos";
  const text = await readFile("/etc/os-release", "utf8").catch(() => "");
  const names = [...text.matchAll(/^ID(?:_LIKE)?=["']?([^"'\n]*)/gm)].flatMap(([, list]) => list?.split(" "));
  if (names.includes("debian") || names.includes("ubuntu")) return "debian";
  if (names.includes("fedora") || names.includes("rhel")) return "fedora";
  if (names.includes("alpine")) return "alpine";
  return names.includes("arch") ? "arch" : "other";
}
