import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type Forge, type ForgeRepository, type HookKind, serveForge } from "../../support/forge/forge.ts";
import { pushTo } from "../../support/forge/push.ts";
import { createCertificate, type TestCertificate } from "../../support/git-server.ts";
import { createRepository, type Repository } from "../../support/journey-repository.ts";
import { createHome, removeHome } from "../../support/journey-system.ts";

const SECRET = "a secret of 20 bytes";
const SIGNING_KEY = Buffer.from("0123456789abcdef0123456789abcdef");

let home: string;
let forge: Forge;
let certificate: TestCertificate;
let local: Repository;
const received: { readonly url: string; readonly body: string }[] = [];
const receiver = createServer((request, response) => {
  void text(request).then((body) => {
    received.push({ url: request.url ?? "", body });
    response.end('{"decision":"ignored"}');
  });
});

beforeAll(async () => {
  home = await createHome();
  certificate = createCertificate(home);
  forge = await serveForge(join(home, "forge"), certificate);
  local = await createRepository(join(home, "local"));
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
});
afterAll(async () => {
  forge.close();
  receiver.close();
  await removeHome(home);
});

const push = (repository: ForgeRepository, ...refs: string[]): Promise<string> =>
  pushTo(repository, certificate, local, ...refs);

function hookUrl(path: string): string {
  const address = receiver.address();
  if (typeof address !== "object" || address === null) throw new Error("the receiver does not listen");
  return `http://127.0.0.1:${address.port}${path}`;
}

async function createHooked(name: string, kind: HookKind): Promise<ForgeRepository> {
  const repository = await forge.createRepository(name);
  const secret = kind === "gitlab_signed" ? `whsec_${SIGNING_KEY.toString("base64")}` : SECRET;
  await repository.addHook({ kind, url: hookUrl(`/${kind}`), secret });
  return repository;
}

const hexOf = (body: string): string => createHmac("sha256", SECRET).update(body).digest("hex");

describe("the forge of the tests", () => {
  it("tells each kind of hook about a push, in its own format and with its own signature", async () => {
    await local.commit({ "a.txt": "1", "b.txt": "1" });
    const kinds: readonly HookKind[] = ["github", "gitea", "gitlab_signed", "gitlab_token"];
    const repositories = await Promise.all(kinds.map((kind) => createHooked(`me/${kind}`, kind)));
    for (const repository of repositories) await push(repository, "main");
    await local.commit({ "a.txt": '2 "quoted"', "b.txt": null, "c/d.txt": "1" });
    const before = await local.git("rev-parse", "HEAD~1");
    const after = await local.git("rev-parse", "HEAD");
    for (const repository of repositories)
      expect(await push(repository, "main")).toContain('remote: hook answered 200: {"decision":"ignored"}');

    for (const [index, kind] of kinds.entries()) {
      const [, second] = (await repositories[index]?.deliveries()) ?? [];
      if (second === undefined) throw new Error(`${kind} sent nothing`);
      expect(second, kind).toMatchObject({ kind, ref: "refs/heads/main", after, status: 200 });
      expect(JSON.parse(second.body), kind).toMatchObject({
        ...{ ref: "refs/heads/main", before, after },
        commits: [{ id: after, message: expect.stringMatching(/^Change a.txt/), added: ["c/d.txt"] }],
      });
      expect(JSON.parse(second.body).commits[0], kind).toMatchObject({
        removed: ["b.txt"],
        modified: ["a.txt"],
      });
      expect(received.findLast(({ url }) => url === `/${kind}`)?.body, kind).toBe(second.body);
      switch (kind) {
        case "github":
          expect(second.headers.get("x-hub-signature-256")).toBe(`sha256=${hexOf(second.body)}`);
          break;
        case "gitea":
          expect(second.headers.get("x-gitea-signature")).toBe(hexOf(second.body));
          break;
        case "gitlab_signed": {
          const [id, timestamp] = ["webhook-id", "webhook-timestamp"].map((name) => second.headers.get(name));
          const signed = createHmac("sha256", SIGNING_KEY).update(`${id}.${timestamp}.${second.body}`);
          expect(second.headers.get("webhook-signature")).toBe(`v1,${signed.digest("base64")}`);
          break;
        }
        case "gitlab_token":
          expect(second.headers.get("x-gitlab-token")).toBe(SECRET);
      }
    }
  });

  it("says that a ref was created, forced and deleted, and peels tags", async () => {
    const repository = await createHooked("me/refs", "github");
    await push(repository, "main");
    await local.git("commit", "--quiet", "--amend", "--allow-empty", "-m", "another history");
    await local.git("tag", "-a", "v1", "-m", "first");
    await push(repository, "+main", "v1");
    await push(repository, ":v1");
    const sent = (await repository.deliveries()).map(({ body }) => JSON.parse(body));
    const head = await local.git("rev-parse", "main");
    expect(sent).toMatchObject([
      { ref: "refs/heads/main", created: true, deleted: false, forced: false },
      { ref: "refs/heads/main", created: false, forced: true, head_commit: { message: "another history\n" } },
      { ref: "refs/tags/v1", created: true, head_commit: { id: head } },
      { ref: "refs/tags/v1", deleted: true, after: "0".repeat(40), head_commit: null, commits: [] },
    ]);
  });

  it("keeps deliveries back, and sends them late, twice and in another order", async () => {
    const repository = await createHooked("me/late", "gitea");
    await repository.hold(true);
    for (const content of ["1", "2"]) {
      await local.commit({ "late.txt": content });
      await push(repository, "+main");
    }
    const [first, second] = await repository.deliveries();
    if (first === undefined || second === undefined) throw new Error("nothing was stored");
    expect(second.status).toBeNull();
    received.length = 0;
    await repository.deliver([second, second]);
    await repository.deliver([first]);
    expect(received.map(({ body }) => JSON.parse(body).after)).toEqual([
      second.after,
      second.after,
      first.after,
    ]);
    expect(await repository.hasCommit(second.after)).toBe(true);
  });
});
