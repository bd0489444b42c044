import { existsSync, mkdtempSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import * as z from "zod";

import { type Forge, type ForgeRepository, serveForge } from "../../../support/forge/forge.ts";
import { createCertificate } from "../../../support/git-server.ts";
import { serveWebhookReceiver, type WebhookReceiver } from "../../../support/receivers/webhook-receiver.ts";
import { serveSsh, type SshServer } from "../../../support/ssh-server.ts";
import type { DebianMachine } from "../debian-machine.ts";

/** What the GitHub CLI is told goes to files of this folder of the machine. GitHub itself is in this process. */
const FOLDER = "/srv/github";
/** It ends when GitHub has taken the file. */
const GH = `#!/bin/sh
set -eu
case "$1 $2 $3 $4" in
  "repo deploy-key add -") file=${FOLDER}/key ;;
  "api --hostname "*) file=${FOLDER}/hook ;;
  *) echo "gh: unknown command: $*" >&2; exit 1 ;;
esac
cat > $file.part
mv $file.part $file
while [ -e $file ]; do sleep 0.1; done
`;
const POLL_MS = 100;

const Hook = z.object({ config: z.object({ url: z.string(), secret: z.string() }) });
const Requests = z.array(z.object({ body: z.string() }));

/**
 * What a reader uses outside of their own machines: a private repository at GitHub with the GitHub CLI, and ntfy. The
 * server reads the repository over ssh with its deploy key. A push is reported to the hook, signed, as GitHub does.
 */
export class Outside {
  readonly #machine: DebianMachine;
  readonly #folder: string;
  readonly #forge: Forge;
  readonly #repository: ForgeRepository;
  readonly #ssh: SshServer;
  readonly #ntfy: WebhookReceiver;
  #ended = false;
  #watching: Promise<void> = Promise.resolve();

  private constructor(
    machine: DebianMachine,
    folder: string,
    forge: Forge,
    repository: ForgeRepository,
    ssh: SshServer,
    ntfy: WebhookReceiver,
  ) {
    this.#machine = machine;
    this.#folder = folder;
    this.#forge = forge;
    this.#repository = repository;
    this.#ssh = ssh;
    this.#ntfy = ntfy;
  }

  /** @param home of the reader, on the machine that is also the reader's computer */
  static async start(machine: DebianMachine, home: string): Promise<Outside> {
    const folder = mkdtempSync(join(tmpdir(), "gantry-outside-"));
    const [forge, ssh, ntfy] = await Promise.all([
      serveForge(join(folder, "forge"), createCertificate(folder)),
      serveSsh(join(folder, "ssh-server")),
      serveWebhookReceiver(),
    ]);
    const repository = await forge.createRepository("you/shop");
    const outside = new Outside(machine, folder, forge, repository, ssh, ntfy);
    // The deliveries name the address by which the project knows the repository.
    await writeFile(join(repository.path, "address"), outside.#address);
    await fetch(`${ntfy.url}/control/ntfy`, { method: "PUT", body: JSON.stringify([{ service: "ntfy" }]) });
    await machine.write(`${FOLDER}/about`, "");
    await machine.write("/usr/local/bin/gh", GH);
    // The reader pushes with a login of its own.
    const pushed = `[http]\n\tsslVerify = false\n[url "${repository.url}"]\n\tpushInsteadOf = ${outside.#address}\n`;
    await machine.write(`${home}/.gitconfig-outside`, pushed);
    await machine.tell(`chmod +x /usr/local/bin/gh && cat ${home}/.gitconfig-outside >> ${home}/.gitconfig`);
    outside.#watching = outside.#watch();
    return outside;
  }

  get #address(): string {
    return this.#ssh.url(this.#repository.path);
  }

  /** The test's words for the guide's words. */
  get names(): readonly (readonly [string, string])[] {
    return [
      ["git@github.com:you/shop.git", this.#address],
      // An address that is not at github.com does not tell the kind of its host.
      ["gantry hooks connect", "gantry hooks connect --host github"],
      ["gantry webhooks create ntfy", `gantry webhooks create ntfy ${this.#ntfy.url}/hook/ntfy`],
    ];
  }

  /** Does what the GitHub CLI was told to do, until the end. */
  async #watch(): Promise<void> {
    while (!this.#ended) {
      await this.#handle("key", async (key) => this.#ssh.allow(key.trim(), this.#repository.path));
      await this.#handle("hook", (hook) =>
        this.#repository.addHook({ kind: "github", ...Hook.parse(JSON.parse(hook)).config }),
      );
      await pause(POLL_MS);
    }
  }

  async #handle(name: string, act: (text: string) => Promise<void>): Promise<void> {
    const path = `${this.#machine.root}${FOLDER}/${name}`;
    if (!existsSync(path)) return;
    await act(await readFile(path, "utf8"));
    await rm(path);
  }

  /** The messages that ntfy has received. */
  async messages(): Promise<readonly string[]> {
    const response = await fetch(`${this.#ntfy.url}/control/ntfy`);
    return Requests.parse(await response.json()).map(({ body }) => body);
  }

  async close(): Promise<void> {
    this.#ended = true;
    await this.#watching;
    this.#forge.close();
    this.#ntfy.close();
    await this.#ssh.close();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
