import { setTimeout as pause } from "node:timers/promises";

import { ensureDebianRoots } from "../scripts/shared/debian-root.ts";
import { loadAppText } from "../test/server/support/apps/load-app.ts";
import { DebianMachine } from "../test/server/support/debian-machine.ts";
import { ImageRegistry } from "../test/server/support/image-registry.ts";
import { registerServer } from "../test/support/enrolments.ts";
import type { System } from "../test/support/journey-system.ts";
import { median, type Row } from "./measure.ts";

const ROUNDS = 5;
const DEPLOY_MS = 240_000;
const SETTLED_MS = 3_000;
/** How much longer a build may take than buildah alone, whatever its instructions take. */
const BUILD_GOAL_MS = 2_000;
const UNCHANGED_GOAL = 1;
const START_GOAL_MS = 1_500;
const MEMORY_GOAL_KIB = 20 * 1024;

/** Each round builds the layers after the app's file. */
const DOCKERFILE = `FROM node:24
RUN mkdir -p /srv/app/data
WORKDIR /srv/app
COPY app.cjs release.txt ./
RUN cp release.txt data/built
EXPOSE 3000
CMD ["node", "app.cjs", "bench"]
`;
const PLAIN = JSON.stringify({ processes: { web: { command: "exec node app.cjs bench" } } });

type Kind = "container" | "plain";
type Build = "first" | "changed" | "unchanged";

/**
 * Measures what containers cost: the builds of a small Dockerfile against buildah alone, the start of an instance and its memory
 * against a process of the same server. On a Debian that is booted for it, so it needs root.
 */
export async function measureContainers(system: System): Promise<Row[]> {
  await ensureDebianRoots();
  const machine = await DebianMachine.boot("trixie");
  try {
    return await new Bench(system, machine).measure();
  } finally {
    await machine.close();
  }
}

class Bench {
  readonly #system: System;
  readonly #machine: DebianMachine;
  #serverId = "";

  constructor(system: System, machine: DebianMachine) {
    this.#system = system;
    this.#machine = machine;
  }

  async measure(): Promise<Row[]> {
    await this.#install();
    const builds = await this.#builds();
    const container = await this.#instances("container");
    const plain = await this.#instances("plain");
    return [
      ...builds,
      {
        what: "start of an instance in a container",
        measured: ms(container.startMs),
        against: `${ms(plain.startMs)}, a process`,
        ratio: `${(container.startMs / plain.startMs).toFixed(2)}×`,
        goal: `≤ +${ms(START_GOAL_MS)}`,
        isMet: container.startMs - plain.startMs <= START_GOAL_MS,
      },
      {
        what: "memory of an instance in a container, without files",
        measured: mib(container.memoryKib),
        against: `${mib(plain.memoryKib)}, a process`,
        ratio: `+${mib(container.memoryKib - plain.memoryKib)}`,
        goal: `≤ +${mib(MEMORY_GOAL_KIB)}`,
        isMet: container.memoryKib - plain.memoryKib <= MEMORY_GOAL_KIB,
      },
    ];
  }

  async #install(): Promise<void> {
    const { url, token } = this.#system.local;
    const { id, enrollment } = await registerServer({ url, token });
    this.#serverId = id;
    await this.#machine.allowLocalRepositories();
    await this.#machine.tell(`${enrollment.command} -s -- --with-containers`);
    await ImageRegistry.start(this.#machine);
    // A user as the projects' users, with a storage and temporary files on the same disk.
    await this.#machine.tell(
      "useradd --create-home --home-dir /var/lib/gantry/.bench bench && chmod 711 /var/lib/gantry && install --directory --owner=bench /var/lib/gantry/.bench/tmp",
    );
  }

  /** Measures the stage `build` and buildah alone, in turns. Each round begins without an image. */
  async #builds(): Promise<Row[]> {
    const times: Record<Build, { readonly gantry: number[]; readonly alone: number[] }> = {
      first: { gantry: [], alone: [] },
      changed: { gantry: [], alone: [] },
      unchanged: { gantry: [], alone: [] },
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      const name = `bench-build-${round}`;
      await this.#commit(name, "container", "0");
      const projectId = await this.#createProject(name, "container");
      for (const build of ["first", "changed", "unchanged"] as const) {
        if (build === "changed") await this.#commit(name, "container", `${round}-1`);
        const ways = [
          async () => times[build].gantry.push((await this.#deploy(projectId)).buildMs),
          async () => times[build].alone.push(await this.#buildAlone(name)),
        ];
        // The second one finds the files in memory.
        for (const way of round % 2 === 0 ? ways : ways.toReversed()) await way();
      }
    }
    console.log(`  ${JSON.stringify(times)}`);
    return (["first", "changed", "unchanged"] as const).map((build) => {
      const [gantry, alone] = [median(times[build].gantry), median(times[build].alone)];
      const isUnchanged = build === "unchanged";
      return {
        what: `${build} build of a small Dockerfile`,
        measured: ms(gantry),
        against: `${ms(alone)}, buildah alone`,
        ratio: `${(gantry / alone).toFixed(2)}×`,
        goal: isUnchanged ? `≤ ${UNCHANGED_GOAL}×` : `≤ +${ms(BUILD_GOAL_MS)}`,
        isMet: isUnchanged ? gantry <= UNCHANGED_GOAL * alone : gantry - alone <= BUILD_GOAL_MS,
      };
    });
  }

  /** Builds the same files with buildah as a user without root. */
  async #buildAlone(name: string): Promise<number> {
    const storage = `/var/lib/gantry/.bench/${name}`;
    const unit =
      "systemd-run --quiet --wait --pipe --collect --property=User=bench --property=RuntimeDirectory=bench --setenv=XDG_RUNTIME_DIR=/run/bench --setenv=HOME=/var/lib/gantry/.bench --property=BindPaths=/var/lib/gantry/.bench/tmp:/var/tmp";
    const line = `buildah --root=${storage} --runroot=/run/bench/root --storage-driver=overlay build --quiet --format=docker --layers --network=host --pull=missing --tag=bench ${repositoryOf(name)}`;
    const output = await this.#machine.tell(
      `start=$(date +%s%N); ${unit} ${line} >/dev/null; echo $(( ($(date +%s%N) - start) / 1000000 ))`,
    );
    return Number(output.split("\n").at(-1));
  }

  /** Measures the starts of instances that replace others, as a median, and the memory of one instance. */
  async #instances(kind: Kind): Promise<{ readonly startMs: number; readonly memoryKib: number }> {
    const name = `bench-start-${kind}`;
    await this.#commit(name, kind, "0");
    const projectId = await this.#createProject(name, kind);
    await this.#deploy(projectId);
    const starts: number[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      await this.#commit(name, kind, `${round}`);
      starts.push((await this.#deploy(projectId)).startMs);
    }
    console.log(`  ${kind}: ${JSON.stringify(starts)}`);
    await pause(SETTLED_MS);
    return { startMs: median(starts), memoryKib: await this.#memoryOf(projectId) };
  }

  /**
   * The memory of all processes in the units of a project's instances, with their shares of shared memory. It leaves out pages of
   * files: how many other processes share the file of Node depends on the machine.
   */
  async #memoryOf(projectId: string): Promise<number> {
    const pids = `for unit in $(systemctl list-units --plain --no-legend --state=active 'gantry-app-*${projectId}*' | cut -d ' ' -f 1); do find "/sys/fs/cgroup$(systemctl show --value --property=ControlGroup "$unit")" -name cgroup.procs -exec cat {} +; done`;
    const output = await this.#machine.tell(
      `for pid in $(${pids}); do grep -E '^Pss_(Anon|Shmem):' /proc/$pid/smaps_rollup; done | awk '{ sum += $2 } END { print sum }'`,
    );
    return Number(output);
  }

  async #createProject(name: string, kind: Kind): Promise<string> {
    const { id } = await this.#system.api.createProject({
      name,
      server_id: this.#serverId,
      repository: repositoryOf(name),
      drain_seconds: 0,
      health_check: { path: "/", tries: 60, interval_seconds: 0.1, timeout_seconds: 10 },
      ...(kind === "container" ? { framework: "dockerfile" } : {}),
    });
    return id;
  }

  async #deploy(projectId: string): Promise<{ readonly buildMs: number; readonly startMs: number }> {
    const { api } = this.#system;
    const { id } = await api.start(projectId);
    const { status, stages } = await api.ended(id, DEPLOY_MS);
    if (status !== "live") {
      const lines = await api.log(id);
      throw new Error(`the deployment ended: ${lines.map(({ message }) => message).join("\n")}`);
    }
    const msOf = (name: string) => (stages.find(({ stage }) => stage === name)?.duration ?? 0) * 1000;
    return { buildMs: msOf("build"), startMs: msOf("start") };
  }

  async #commit(name: string, kind: Kind, release: string): Promise<void> {
    const path = repositoryOf(name);
    const files: Readonly<Record<string, string>> = {
      "app.cjs": loadAppText(),
      "release.txt": release,
      ...(kind === "container" ? { Dockerfile: DOCKERFILE } : { "gantry.json": PLAIN }),
    };
    for (const [file, text] of Object.entries(files)) await this.#machine.write(`${path}/${file}`, text);
    await this.#machine.tell(
      `chown -R root ${path} && cd ${path} && git init --quiet --initial-branch=main . && git add --all && git -c user.name=Ada -c user.email=ada@example.com commit --quiet --allow-empty -m change && chown -R gantry ${path}`,
    );
  }
}

const repositoryOf = (name: string) => `/srv/repositories/${name}`;
const ms = (value: number) => `${value.toFixed(0)} ms`;
const mib = (kib: number) => `${(kib / 1024).toFixed(1)} MiB`;
