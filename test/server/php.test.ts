import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { AppServer } from "./support/app-server.ts";

const DOMAIN = "shop-php.localhost";
const CLIENTS = 6;

let server: AppServer;
let projectId: string;
beforeAll(async () => {
  server = await AppServer.start({ ingress: true });
  const project = await server.createProject(
    "shop-php",
    {
      "public/index.php": "<?php usleep(50_000); echo 'a page of ', $_SERVER['REQUEST_URI'];",
      "public/facts.php":
        "<?php echo json_encode([$_SERVER['HTTPS'] ?? null, $_SERVER['REMOTE_ADDR'], $_SERVER['HTTP_X_FORWARDED_FOR'], getenv('GANTRY_PROCESS'), posix_getpwuid(posix_getuid())['name']]);",
      "public/build/assets/app-1.css": "a {}",
      "public/.env": "SECRET=1",
      "public/storage/avatar.php": "<?php echo 'uploaded';",
      "secret.php": "<?php echo 'secret';",
    },
    { domain: DOMAIN, health_check: { path: "/" } },
  );
  projectId = project.id;
  await server.expectLive(project.id);
});
afterAll(() => server.close());

describe("a PHP app without any setting", () => {
  it("gets its pages from index.php, its scripts by their paths, and its other files", async () => {
    await expect.poll(() => server.ask(DOMAIN, "/cart/7?x=1")).toBe("a page of /cart/7?x=1");
    expect(await server.ask(DOMAIN, "/build/assets/app-1.css")).toBe("a {}");
    expect(await server.ask(DOMAIN, "/.env")).not.toContain("SECRET");
    expect(await server.ask(DOMAIN, "/storage/avatar.php")).not.toContain("uploaded");
    expect(await server.ask(DOMAIN, "/../secret.php")).not.toBe("secret");
  });

  it("knows that the visitor came by TLS, from which address, and runs as its project's user", async () => {
    const facts: unknown = JSON.parse(await server.ask(DOMAIN, "/facts.php"));
    expect(facts).toEqual(["on", "127.0.0.1", "127.0.0.1", "web", projectId]);
  });

  it("loses no request while its instances are replaced, and leaves nothing of the old ones", async () => {
    const { port } = await server.target(DOMAIN);
    const { machine } = server;
    const address = `--cacert /var/lib/gantry-ingress/caddy/pki/authorities/local/root.crt https://${DOMAIN}:${port}/`;
    const client = `while ! [ -e /tmp/enough ]; do curl -sS -f -m 10 -o /dev/null ${address} 2>&1 && echo ok; done`;
    const load = machine.tell(`for client in $(seq ${CLIENTS}); do (${client}) & done; wait`);
    for (let turn = 0; turn < 3; turn += 1) {
      const started = await server.api.call("POST", `/v1/projects/${projectId}/processes/web/restart`);
      await server.becomesLive(deploymentOf(started));
    }
    await machine.tell("touch /tmp/enough");
    const lines = (await load).split("\n");
    expect(lines.filter((line) => line !== "ok")).toEqual([]);
    expect(lines.length).toBeGreaterThan(30);
    const mains = `ps -u ${projectId} -o args= | grep -c 'master process'`;
    await expect.poll(() => machine.tell(mains)).toBe("1");
  });
});

function deploymentOf(started: unknown): string {
  const found = /dpl_\w+/.exec(JSON.stringify(started));
  if (found === null) throw new Error(`no deployment: ${JSON.stringify(started)}`);
  return found[0];
}
