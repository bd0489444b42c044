import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished, vi } from "vitest";

import { supervise } from "../../../scripts/start/supervisor.ts";
import { freePort } from "../../support/free-port.ts";

/** A server that responds `answers` times, and then accepts requests without responding. */
const server = (port: number, answers: number) => `
  let left = ${answers};
  require("node:http")
    .createServer((_, response) => { if (left-- > 0) response.end("ok"); })
    .listen(${port}, "127.0.0.1");
`;

/** Supervises such a server until the test has ended. @returns how its processes ended */
async function keepServer(answers: number): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), "gantry-supervisor-"));
  const port = await freePort();
  const ends: string[] = [];
  const service = supervise({
    name: "server",
    argv: ["--eval", server(port, answers)],
    logFile: join(folder, "server.log"),
    healthUrl: `http://127.0.0.1:${port}`,
    stopMs: 1_000,
    restart: { firstMs: 10, longestMs: 10 },
    healthLimitsMs: { start: 2_000, silence: 500 },
    onPidChange: () => undefined,
    onCrash: (how) => ends.push(how),
  });
  onTestFinished(async () => {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return ends;
}

it.for([
  ["has never responded", 0],
  ["stops responding", 2],
] as const)("a server that %s is restarted", async ([, answers]) => {
  const ends = await keepServer(answers);
  await vi.waitFor(() => expect(ends.slice(0, 2)).toEqual(["no response", "no response"]), {
    interval: 50,
  });
});

it("a program that has sent its first message is restarted without its preparation", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gantry-supervisor-"));
  const notes = join(folder, "notes");
  const program = `
    const { appendFileSync, existsSync } = require("node:fs");
    const isFirst = !existsSync(process.argv[1]);
    appendFileSync(process.argv[1], (process.argv[2] ?? "all") + "\\n");
    if (isFirst) process.exit(1);
    process.send("prepared", () => process.exit(1));
  `;
  const service = supervise({
    name: "program",
    argv: ["--eval", program, notes],
    againArgv: ["the rest"],
    logFile: join(folder, "program.log"),
    healthUrl: null,
    stopMs: 1_000,
    restart: { firstMs: 10, longestMs: 10 },
    onPidChange: () => undefined,
    onCrash: () => undefined,
  });
  onTestFinished(async () => {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  });
  // The first process ended before its first message.
  const started = async () => (await readFile(notes, "utf8").catch(() => "")).split("\n").slice(0, 4);
  await expect.poll(started).toEqual(["all", "all", "the rest", "the rest"]);
});
