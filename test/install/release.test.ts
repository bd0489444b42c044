import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { quietWrangler, runCommand } from "../../scripts/shared/run-command.ts";
import { type FakeCloudflare, startFakeCloudflare } from "../support/fake-cloudflare.ts";

let cloudflare: FakeCloudflare;
beforeAll(async () => void (cloudflare = await startFakeCloudflare()));
afterAll(() => cloudflare.close());

/** Makes wrangler print warnings, and notes on stdout. */
const noisy = { HTTPS_PROXY: "http://127.0.0.1:9", NO_PROXY: "127.0.0.1", WRANGLER_LOG: "debug" };

const npmRun = (script: string, args: readonly string[], planted: Record<string, string> = {}) =>
  runCommand(["npm", "run", "--silent", script, "--", ...args], {
    env: { ...cloudflare.environment, ...planted },
  });

const release = (args: readonly string[] = [], planted: Record<string, string> = {}) =>
  npmRun("release", ["--no-wait", ...args], planted);

const rowsOf = (sql: string) => cloudflare.databases.get("gantry")?.prepare(sql).all();

const publicUrl = (text: string) => ({ name: "PUBLIC_URL", type: "plain_text", text });

describe("npm run release", () => {
  it("prints what to do if Cloudflare refuses the credentials, and changes nothing", async () => {
    cloudflare.refuse({ code: 10000, message: "Authentication error" });
    const { code, output } = await release();
    cloudflare.refuse(null);
    expect(code).toBe(1);
    expect(output).toContain("Reading the database's settings failed. Cloudflare says: Authentication error");
    expect(cloudflare.requests.filter((request) => !request.startsWith("GET"))).toEqual([]);
  });

  it("is required before a token can be created in an empty account", async () => {
    const { code, output } = await npmRun("token", ["--account", "main", "--remote"]);
    expect([code, output]).toEqual([1, expect.stringContaining("npm run release makes one")]);
  });

  it.each([
    [["--domain", "https://gantry.example.com"], "--domain must be a name such as gantry.example.com"],
    [["--base-domain", "Example"], "--base-domain must be a name"],
    [["--security-contact", "security@example.com"], "--security-contact must be a URI"],
    [["--prod"], "--prod"],
    [["--location", "mars"], "--location must be one of wnam, enam, weur"],
    [["--jurisdiction", "fr"], "--jurisdiction must be eu or us"],
    [["--jurisdiction", "eu", "--location", "weur"], "Pass --location or --jurisdiction, not both"],
    [["--domain", "localhost"], "localhost is in use: it leads to "],
  ])("refuses %j, with the reason", async (args, message) => {
    const { code, output } = await release(args);
    expect([code, output]).toEqual([1, expect.stringContaining(message)]);
  });

  it("creates the database and the bucket, migrates, deploys, and prints a sign-in link for the first account", async () => {
    const { code, output } = await release();
    expect([code, output]).toEqual([0, expect.stringContaining("https://gantry.team.workers.dev/v1")]);
    expect([...cloudflare.buckets]).toEqual(["gantry-logs"]);
    expect(output).toContain("Read replication is on");
    expect(cloudflare.places.get("gantry")).toEqual({
      location: null,
      jurisdiction: null,
      replicas: "auto",
    });
    expect(output).toMatch(/https:\/\/gantry\.team\.workers\.dev\/app\/sign-in#code=gantry_signin_\w+/);
    expect(rowsOf("SELECT name FROM accounts")).toEqual([{ name: "main" }]);
    expect(rowsOf("SELECT account_id = (SELECT id FROM accounts) AS fits FROM sign_in_codes")).toEqual([
      { fits: 1 },
    ]);
    const [upload] = cloudflare.uploads;
    expect(upload).toMatchObject({ main_module: "main.js" });
    expect(upload).toMatchObject({ bindings: expect.arrayContaining([publicUrl("")]) });
  });

  it("wrangler prints warnings and notes in the environment of the next tests", async () => {
    const listed = await runCommand(["wrangler", "d1", "list", "--json"], {
      env: { ...quietWrangler, ...cloudflare.environment, ...noisy },
    });
    expect([listed.code, listed.output]).toEqual([0, expect.stringContaining("[WARNING]")]);
    expect(listed.stdout).toContain("Writing logs to");
  });

  it("updates an installation, adds a custom domain, and keeps all data, whatever else wrangler prints", async () => {
    const before = rowsOf("SELECT id FROM accounts");
    const { code, output } = await release(
      [
        ...["--domain", "gantry.invalid", "--base-domain", "example.com"],
        ...["--security-contact", "mailto:security@example.com", "--no-link"],
      ],
      noisy,
    );
    expect([code, output]).toEqual([0, expect.stringContaining("https://gantry.invalid/v1")]);
    expect(rowsOf("SELECT id FROM accounts")).toEqual(before);
    expect(output).not.toContain("#code=");
    expect(cloudflare.uploads).toHaveLength(2);
    expect(cloudflare.uploads[1]).toMatchObject({
      bindings: expect.arrayContaining([
        publicUrl("https://gantry.invalid"),
        { name: "BASE_DOMAIN", type: "plain_text", text: "example.com" },
        { name: "SECURITY_CONTACT", type: "plain_text", text: "mailto:security@example.com" },
      ]),
    });
  });
});

describe("the place of an installation", () => {
  it("is kept: a release refuses another jurisdiction, and changes nothing", async () => {
    const before = cloudflare.uploads.length;
    const { code, output } = await release(["--jurisdiction", "eu"]);
    expect([code, output]).toEqual([1, expect.stringContaining("The installation has no jurisdiction")]);
    expect(cloudflare.uploads).toHaveLength(before);
  });

  it("stays the place of the first release: in a jurisdiction, with its database, bucket and objects", async () => {
    const european = await startFakeCloudflare();
    try {
      const inEurope = (args: readonly string[]) =>
        npmRun("release", ["--no-wait", "--no-link", ...args], european.environment);
      expect(await inEurope(["--jurisdiction", "eu"])).toMatchObject({ code: 0 });
      expect([...european.places]).toEqual([
        ["gantry-logs", { location: null, jurisdiction: "eu", replicas: "disabled" }],
        ["gantry", { location: null, jurisdiction: "eu", replicas: "auto" }],
      ]);
      // Without the option too: the objects' ids contain it.
      expect(await inEurope([])).toMatchObject({ code: 0 });
      expect(european.uploads).toHaveLength(2);
      for (const upload of european.uploads)
        expect(upload).toMatchObject({
          bindings: expect.arrayContaining([
            { name: "JURISDICTION", type: "plain_text", text: "eu" },
            expect.objectContaining({ type: "r2_bucket", jurisdiction: "eu" }),
          ]),
        });
      expect(await inEurope(["--jurisdiction", "us"])).toMatchObject({
        code: 1,
        output: expect.stringContaining("is in the jurisdiction eu"),
      });
    } finally {
      await european.close();
    }
  });

  it("is near a region with --location, and replicas that cannot be enabled do not stop the release", async () => {
    const sydney = await startFakeCloudflare();
    try {
      sydney.refuse({ code: 10000, message: "Authentication error" }, "PUT /d1/database");
      const { code, output } = await npmRun(
        "release",
        ["--no-wait", "--no-link", "--location", "oc"],
        sydney.environment,
      );
      expect([code, output]).toEqual([
        0,
        expect.stringContaining("Read replication could not be enabled, so every read goes to the database"),
      ]);
      expect(output).toContain("Give the token permission to edit D1");
      expect([...sydney.places]).toEqual([
        ["gantry-logs", { location: "oc", jurisdiction: null, replicas: "disabled" }],
        ["gantry", { location: "oc", jurisdiction: null, replicas: "disabled" }],
      ]);
      expect(sydney.uploads[0]).toMatchObject({
        bindings: expect.arrayContaining([{ name: "LOCATION", type: "plain_text", text: "oc" }]),
      });
    } finally {
      await sydney.close();
    }
  });
});

describe("an installation in a Cloudflare account", () => {
  it("gets tokens with the same command as a local installation, whatever else wrangler prints", async () => {
    const { code, output } = await npmRun("token", ["--account", "main", "--remote"], noisy);
    expect([code, output]).toEqual([0, expect.stringMatching(/^gantry_\w+$/m)]);
    expect(output).toContain("Created a token for main");
    expect(rowsOf("SELECT count(*) AS count FROM accounts")).toEqual([{ count: 1 }]);
    const ofMain = "SELECT account_id = (SELECT id FROM accounts) AS fits, name FROM tokens";
    expect(rowsOf(ofMain)).toEqual([{ fits: 1, name: "first token" }]);
  });

  it("gets links with the same command as a local installation, whatever else wrangler prints", async () => {
    const { code, output } = await npmRun(
      "sign-in",
      ["--remote", "--url", "https://gantry.example.com"],
      noisy,
    );
    expect([code, output]).toEqual([
      0,
      expect.stringContaining("https://gantry.example.com/app/sign-in#code=gantry_signin_"),
    ]);
  });
});
