import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

import { findProgram } from "../scripts/shared/find-program.ts";

const run = promisify(execFile);

/** Another deployment tool, for comparison. */
export type Peer = {
  readonly name: string;
  /** How to install it, as shell commands. */
  readonly install: string;
  /** Prepares to deploy the branch `main` of a repository into a folder of this machine. @returns null: not installed */
  open(folder: string, repository: string): Promise<{ deploy(): Promise<unknown> } | null>;
};

/** Runs its commands on this machine, without ssh, so that no time of a connection is measured. */
const capistrano: Peer = {
  name: "Capistrano",
  install: "apt-get install capistrano",
  async open(folder, repository) {
    const cap = await findProgram(["cap"]);
    if (cap === null) return null;
    await mkdir(join(folder, "config", "deploy"), { recursive: true });
    await writeFile(
      join(folder, "Capfile"),
      `require "capistrano/setup"
require "capistrano/deploy"
require "capistrano/scm/git"
install_plugin Capistrano::SCM::Git
`,
    );
    await writeFile(
      join(folder, "config", "deploy.rb"),
      `set :application, "bench"
set :repo_url, "${repository}"
set :branch, "main"
set :deploy_to, "${join(folder, "www")}"
set :sshkit_backend, SSHKit::Backend::Local
`,
    );
    await writeFile(join(folder, "config", "deploy", "bench.rb"), 'server "localhost", roles: %w[web app]\n');
    return { deploy: () => run(cap, ["bench", "deploy"], { cwd: folder }) };
  },
};

const shipit: Peer = {
  name: "shipit",
  install:
    "apt-get install rsync openssh-server, npm install --prefix DIR shipit-cli shipit-deploy, PATH=DIR/node_modules/.bin:$PATH; `ssh localhost` must need no password",
  async open(folder, repository) {
    const [program, rsync] = await Promise.all([findProgram(["shipit"]), findProgram(["rsync"])]);
    if (program === null || rsync === null || !(await canLogIn())) return null;
    await mkdir(folder, { recursive: true });
    const settings = {
      default: {
        ...{ repositoryUrl: repository, branch: "main", shallowClone: true },
        ...{ deployTo: join(folder, "www"), workspace: join(folder, "work"), keepReleases: 5 },
      },
      bench: { servers: `${userInfo().username}@localhost` },
    };
    await writeFile(
      join(folder, "shipitfile.js"),
      `module.exports = (shipit) => {
  require("shipit-deploy")(shipit);
  shipit.initConfig(${JSON.stringify(settings)});
};
`,
    );
    // For `shipit-deploy`, which is installed beside the program.
    const env = { ...process.env, NODE_PATH: resolve(dirname(program), "..") };
    return { deploy: () => run(program, ["bench", "deploy"], { cwd: folder, env }) };
  },
};

export const peers: readonly Peer[] = [capistrano, shipit];

function canLogIn(): Promise<boolean> {
  return run("ssh", ["-o", "BatchMode=yes", "localhost", "true"]).then(
    () => true,
    () => false,
  );
}
