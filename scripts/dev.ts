import { spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import * as z from "zod";

import { signalGroup } from "#node/processes.ts";

import { keepSchedule, runSchedule } from "./shared/local-schedule.ts";
import { Problem } from "./shared/problem.ts";
import { binaries, root } from "./shared/root.ts";
import { quietWrangler, runCommand } from "./shared/run-command.ts";
import { home, resolveHome, runScript } from "./shared/script.ts";
import { print, step } from "./shared/terminal.ts";
import { lockHome } from "./start/home-lock.ts";
import { rememberHome } from "./start/home-on-port.ts";
import { port } from "./start/options.ts";

/** How long wrangler may take to stop both of its workerd processes. */
const STOP_MS = 5_000;

const options = z.object({ port, home });

/** Runs the Worker alone under `wrangler dev`, on the state of `npm start`. */
async function runDev({ port: apiPort, home: folder }: z.output<typeof options>): Promise<void> {
  const url = `http://127.0.0.1:${apiPort}`;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Two servers on one state would each run the same Durable Objects.
  const lock = await lockHome(folder, apiPort);
  await rememberHome(folder, apiPort);
  const state = ["--persist-to", join(folder, "state")];

  await step("migrating the database", async () => {
    const { code, output } = await runCommand(
      ["wrangler", "d1", "migrations", "apply", "DB", "--local", ...state],
      { env: quietWrangler },
    );
    if (code !== 0) {
      await lock.release();
      throw new Problem(`The migrations failed:\n${output}`);
    }
    return { value: null, done: "Database migrated" };
  });
  const where = folder === resolveHome() ? "" : ` --home ${folder}`;
  print(`  ${url}, reloads on change. Create a token: npm run token -- --account local${where}`);

  const wrangler = spawn(
    process.execPath,
    [
      join(binaries, "wrangler"),
      ...["dev", "--ip", "127.0.0.1", "--port", `${apiPort}`, ...state],
      // wrangler.toml may name the address of a released installation.
      ...["--var", "PUBLIC_URL:"],
      ...["--var", "ALLOW_PRIVATE_TARGETS:1"],
      "--no-minify",
      ...["--log-level", "info", "--show-interactive-dev-session=false", "--inspector-port", "0"],
    ],
    {
      cwd: root,
      // Both workerd processes outlive a wrangler that is killed, so the whole group is killed at the end.
      detached: true,
      env: { ...process.env, ...quietWrangler },
      stdio: ["ignore", "inherit", "inherit"],
    },
  );
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => {
      wrangler.kill("SIGTERM");
      setTimeout(() => wrangler.kill("SIGKILL"), STOP_MS).unref();
    });
  // Wrangler has an endpoint that runs the cron triggers, but does not call it by itself.
  keepSchedule(() => runSchedule(url));
  wrangler.once("exit", (code) => {
    if (wrangler.pid !== undefined) signalGroup(wrangler.pid, "SIGKILL");
    void lock.release().then(() => process.exit(code ?? 0));
  });
}

await runScript(
  {
    usage: "npm run dev -- [options]",
    summary: "Runs the Worker alone under wrangler dev, with the database of npm start. Reloads on change.",
    options,
  },
  runDev,
);
