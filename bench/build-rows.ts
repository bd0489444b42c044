import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { createBareRepository } from "../test/support/faults/bare-repository.ts";
import { createInstallation } from "../test/support/faults/installation.ts";
import { removeHome } from "../test/support/journey-system.ts";
import { median, type Row } from "./measure.ts";

const ROUNDS = 3;
const RATIO_GOAL = 1;
const DEPLOY_MS = 600_000;
const NEXT = "16.0.3";

/**
 * Measures what it takes to pass a build from one server to another: pack, encrypt, upload, download, decrypt and unpack, with
 * the control plane and both servers on this machine. Against the install and the build command, with npm's own cache.
 */
export async function measureBuilds(): Promise<Row[]> {
  const installation = await createInstallation();
  try {
    const { api, home } = installation;
    const web = await installation.addServer("web");
    const builder = await installation.addServer("builder");
    const path = join(home, "sources", "bench-next");
    const repository = await createBareRepository(path);
    const packages = await writePackages(join(home, "bench-next"));
    const project = await api.createProject({
      ...{ name: "bench-next", server_id: web.serverId, build_on: builder.serverId },
      repository: `ssh://git${path}`,
    });
    const times: { readonly made: number; readonly passed: number; readonly what: string }[] = [];
    // The first one fills npm's own cache.
    for (let round = 0; round <= ROUNDS; round += 1) {
      const page = `export default function Page() { return <h1>Round ${round}</h1>; }\n`;
      await repository.commit({ ...packages, "pages/index.js": page });
      const { id } = await api.start(project.id, { clear_cache: true });
      const ended = await api.ended(id, DEPLOY_MS);
      const log = (await api.log(id)).map(({ message }) => message).join("\n");
      if (ended.status !== "live") throw new Error(`the deployment failed:\n${log}`);
      if (round > 0) times.push(timesIn(log));
    }
    const [made, passed] = [median(times.map((one) => one.made)), median(times.map((one) => one.passed))];
    const ratio = passed / made;
    return [
      {
        what: `Next.js app, ${times[0]?.what}: from one server to another`,
        measured: seconds(passed),
        against: `${seconds(made)}, its install and build command`,
        ratio: `${ratio.toFixed(2)}×`,
        goal: `≤ ${RATIO_GOAL}×`,
        isMet: ratio <= RATIO_GOAL,
      },
    ];
  } finally {
    await installation.stop();
    await removeHome(installation.home);
  }
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

/** The files by which npm installs Next.js, the same each time. */
async function writePackages(folder: string): Promise<Readonly<Record<string, string>>> {
  const dependencies = { next: NEXT, react: "19.2.0", "react-dom": "19.2.0" };
  const scripts = { build: "next build", start: "next start" };
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, scripts, dependencies }));
  execFileSync("npm", ["install", "--package-lock-only", "--no-audit", "--no-fund"], { cwd: folder });
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  return { "package.json": read("package.json"), "package-lock.json": read("package-lock.json") };
}

/** Reads the durations that the log names, in milliseconds. */
function timesIn(log: string) {
  const msOf = (line: RegExp): number => {
    const found = line.exec(log)?.[1];
    if (found === undefined) throw new Error(`the log has no line ${line.source}:\n${log}`);
    return Number(found);
  };
  const install = msOf(/^the install command .*\((\d+) ms\)$/m);
  const build = msOf(/^the build command .*\((\d+) ms\)$/m);
  const steps = [
    /^packed .*\((\d+) ms\)$/m,
    /can take the build \(sent in (\d+) ms\)$/m,
    /^downloaded the build \((\d+) ms\)$/m,
    /^unpacked .*\((\d+) ms\)$/m,
  ].map(msOf);
  console.log(`  install ${install}, build ${build}, pack, send, download, unpack: ${steps.join(", ")} ms`);
  const what = /^packed (.*) \(\d+ ms\)$/m.exec(log)?.[1] ?? "";
  return { made: install + build, passed: steps.reduce((sum, ms) => sum + ms, 0), what };
}
