import { copyFile } from "node:fs/promises";

import { afterAll, beforeAll, expect, it } from "vitest";

import { ingressPrograms } from "../../scripts/shared/ingress-programs.ts";
import { useGantry } from "../openapi/support/gantry.ts";
import { registerServer } from "../support/enrolments.ts";
import { DebianMachine } from "./support/debian-machine.ts";
import { killAtEachStep } from "./support/kill-at-each-step.ts";

const DRAFTS = ["/usr/local/lib/gantry/{.new,sed}*", "/{usr/local/lib/gantry,etc/gantry}/*.{new,old}"];
const UNIT_DRAFTS = ["/usr/local/bin/gantry*.new", "/etc/{systemd/system,tmpfiles.d}/gantry*.new"];
const PARTS = ["/usr/local/lib/gantry*", "/usr/local/bin/gantry*", "/var/lib/gantry*", "/etc/gantry*"];
const UNITS = ["/etc/{systemd/system,tmpfiles.d}/gantry*"];
const WITH_INGRESS = "--ingress-listen 127.0.0.1:8899";

let machine: DebianMachine;
let script: string;
let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  const [gantry, booted] = await Promise.all([useGantry(), DebianMachine.boot()]);
  machine = booted;
  script = await (await fetch(`${gantry.url}/install.sh`)).text();
  const { enrollment } = await registerServer(gantry);
  await copyFile(ingressPrograms().caddy, `${machine.root}/opt/caddy`);
  env = { GANTRY_CADDY: "/opt/caddy", GANTRY_TOKEN: enrollment.token };
});
afterAll(() => machine.close());

const list = (...paths: readonly string[]) =>
  machine.tell(`bash -O nullglob -c 'set -- ${paths.join(" ")}; [ $# = 0 ] || ls -d "$@"'`);
const accounts = () =>
  machine.tell("getent passwd gantry gantry-ingress; getent group gantry gantry-isolate; true");

/** Starts a process as an activate command would leave one: in the control group of the agent's service. */
const leaveProcess = () =>
  machine.tell(`setsid sleep 1000 >/dev/null 2>&1 &
    for tree in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/systemd; do
      group=$tree/system.slice/gantry-agent.service/cgroup.procs
      if [ -e $group ]; then echo $! >$group; fi
    done
    echo $!`);

it("A first installation that is killed before each of its steps is complete after another run", async () => {
  const { steps, end } = await killAtEachStep(machine, script, WITH_INGRESS, env);
  expect(end).toMatchObject({ code: 0, output: expect.stringContaining("connected to") });
  expect(steps.length).toBeGreaterThan(50);
  expect(await list(...DRAFTS, ...UNIT_DRAFTS)).toBe("");
});

it("An uninstallation that is killed before each of its steps leaves nothing after another run", async () => {
  const left = await leaveProcess();
  const { steps, end } = await killAtEachStep(machine, script, "--uninstall --purge");
  expect(end.code).toBe(0);
  expect(steps.length).toBeGreaterThan(20);
  expect(await list(...PARTS, ...UNITS)).toBe("");
  expect(await accounts()).toBe("");
  expect((await machine.run(`kill -0 ${left}`)).code).toBe(1);
});
