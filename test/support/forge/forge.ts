import { execFile } from "node:child_process";
import { chmod, copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { serveGit, type TestCertificate } from "../git-server.ts";

const run = promisify(execFile);

/** A git host: real repositories over HTTPS, and a delivery to each hook for each ref that a push changes. */
export type Forge = {
  /** `https://localhost:<port>` */
  readonly origin: string;
  /** @param name such as `me/site` */
  createRepository(name: string): Promise<ForgeRepository>;
  close(): void;
};

/** The forges of a hook. GitLab signs as Standard Webhooks, or sends the secret itself. */
export type HookKind = "github" | "gitea" | "gitlab_signed" | "gitlab_token";

export type HookOut = { readonly kind: HookKind; readonly url: string; readonly secret: string };

export type ForgeRepository = {
  /** The address to clone and to push to. */
  readonly url: string;
  /** The bare repository's folder. */
  readonly path: string;
  addHook(hook: HookOut): Promise<void>;
  /** From now on pushes only store their deliveries, until `hold(false)`. */
  hold(isHeld: boolean): Promise<void>;
  /** The deliveries that were stored since the repository was created, in order. */
  deliveries(): Promise<readonly ForgeDelivery[]>;
  /** Sends stored deliveries, which may have been sent before. */
  deliver(deliveries: readonly ForgeDelivery[]): Promise<void>;
  /** Whether the repository has this commit. */
  hasCommit(sha: string): Promise<boolean>;
};

/** A delivery to a hook, as its files tell it. `status` and `answer`: null until it was sent. */
export type ForgeDelivery = {
  readonly name: string;
  readonly kind: string;
  readonly ref: string;
  readonly after: string;
  readonly headers: Headers;
  readonly body: string;
  readonly status: number | null;
  readonly answer: string | null;
};

const CONFIG: readonly (readonly [string, string])[] = [
  ["http.receivepack", "true"],
  // As GitHub does, so that a commit that was replaced can be fetched.
  ["uploadpack.allowAnySHA1InWant", "true"],
  // It would run after a push, when a test removes the folder.
  ["gc.auto", "0"],
  ["receive.autogc", "false"],
];

/** @param folder for the repositories */
export async function serveForge(folder: string, certificate: TestCertificate): Promise<Forge> {
  await mkdir(folder, { recursive: true });
  const server = await serveGit({ certificate, folder, login: null });
  return {
    origin: server.origin,
    close: () => server.close(),
    async createRepository(name) {
      const path = join(folder, `${name}.git`);
      const url = server.url(`${name}.git`);
      await run("git", ["init", "--quiet", "--bare", "--template=", "--initial-branch=main", path]);
      for (const setting of CONFIG) await run("git", ["config", ...setting], { cwd: path });
      for (const part of ["hooks", "hooks-out", "deliveries"]) await mkdir(join(path, part));
      await writeFile(join(path, "address"), url);
      await writeFile(join(path, "full-name"), name);
      for (const script of ["post-receive", "deliver"]) {
        await copyFile(resolve(import.meta.dirname, script), join(path, "hooks", script));
        await chmod(join(path, "hooks", script), 0o755);
      }
      return openRepository(path, url);
    },
  };
}

function openRepository(path: string, url: string): ForgeRepository {
  const deliveries = join(path, "deliveries");
  return {
    url,
    path,
    async addHook(hook) {
      const count = (await readdir(join(path, "hooks-out"))).length;
      const folder = join(path, "hooks-out", `${count + 1}`);
      await mkdir(folder);
      for (const [file, content] of Object.entries(hook)) await writeFile(join(folder, file), `${content}\n`);
    },
    hold: (isHeld) => (isHeld ? writeFile(join(path, "held"), "") : rm(join(path, "held"), { force: true })),
    async deliveries() {
      const names = (await readdir(deliveries)).toSorted();
      return Promise.all(names.map((name) => readDelivery(deliveries, name)));
    },
    async deliver(wanted) {
      await run("sh", ["hooks/deliver", ...wanted.map(({ name }) => name)], { cwd: path });
    },
    hasCommit: (sha) =>
      run("git", ["cat-file", "-e", `${sha}^{commit}`], { cwd: path }).then(
        () => true,
        () => false,
      ),
  };
}

async function readDelivery(folder: string, name: string): Promise<ForgeDelivery> {
  const read = (file: string): Promise<string> => readFile(join(folder, name, file), "utf8");
  const [kind = "", ref = "", after = ""] = (await read("about")).trim().split(" ");
  const headers = new Headers();
  for (const line of (await read("headers")).trim().split("\n")) {
    const [header = "", value = ""] = line.split(/: (.*)/s);
    headers.set(header, value);
  }
  const status = await read("status").catch(() => null);
  const answer = await read("answer").catch(() => null);
  return {
    name,
    kind,
    ref,
    after,
    headers,
    body: await read("body"),
    status: status === null ? null : Number(status),
    answer,
  };
}
