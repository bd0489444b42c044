import { sign } from "@octokit/webhooks-methods";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";

import type { HookForge } from "#contract/endpoints/hooks/push-decisions.ts";
import { bytesOf, toBase64 } from "#sealing/bytes.ts";
import { formWebhookSecret } from "#sealing/standard-webhook.ts";
import { refuseForged } from "#worker/deliveries/check-signature.ts";
import { hmac } from "../../support/worker/deliveries.ts";

const secret = formWebhookSecret(new Uint8Array(32).fill(7));
const other = formWebhookSecret(new Uint8Array(32).fill(8));
const body = JSON.stringify({ ref: "refs/heads/main", message: "Größe → 7" });
const NOW_S = 1_763_881_200;

async function check(
  forge: HookForge,
  headers: Record<string, string>,
  { secrets = [secret], text = body } = {},
): Promise<string | null> {
  return await refuseForged(forge, secrets, { headers: new Headers(headers), body: bytesOf(text) }, NOW_S);
}

function standard(key: string, timestampS = NOW_S, id = "0198c1f0-7a3e-4b5d"): Record<string, string> {
  const signature = new Webhook(key).sign(id, new Date(timestampS * 1000), body);
  const event = { "x-gitlab-event": "Push Hook" };
  return {
    ...event,
    "webhook-id": id,
    "webhook-timestamp": String(timestampS),
    "webhook-signature": signature,
  };
}

const flipped = (hex: string) => `${hex.slice(0, -1)}${hex.endsWith("0") ? "1" : "0"}`;

describe("a delivery of GitHub", () => {
  it("is authentic with the signature that GitHub's own library makes", async () => {
    const signature = await sign(secret, body);
    const headers = { "x-github-event": "push", "x-hub-signature-256": signature };
    expect(await check("github", headers)).toBeNull();
    expect(await check("github", headers, { secrets: [other, secret] })).toBeNull();
    expect(await check("github", headers, { secrets: [other] })).toBe("bad_signature");
    expect(await check("github", headers, { text: `${body} ` })).toBe("bad_signature");
    expect(await check("github", { ...headers, "x-hub-signature-256": flipped(signature) })).toBe(
      "bad_signature",
    );
  });

  it("is forged with anything else", async () => {
    const hex = await hmac(secret, body);
    const forged: readonly (readonly [Record<string, string>, string])[] = [
      [{}, "no_signature"],
      [{ "x-hub-signature-256": "" }, "no_signature"],
      [{ "x-hub-signature-256": hex }, "bad_signature"],
      [{ "x-hub-signature-256": "sha256=" }, "bad_signature"],
      [{ "x-hub-signature-256": `sha256=${hex.slice(2)}` }, "bad_signature"],
      [{ "x-hub-signature-256": `sha256=${hex}00` }, "bad_signature"],
      [{ "x-hub-signature-256": `sha1=${hex.slice(0, 40)}` }, "bad_signature"],
      [{ "x-hub-signature-256": `sha256=${"zz".repeat(32)}` }, "bad_signature"],
      // Bitbucket's name for it, and GitHub's name for a signature with SHA-1.
      [{ "x-hub-signature": `sha256=${hex}` }, "no_signature"],
      [{ "x-gitea-signature": hex }, "no_signature"],
      [{ "x-gitlab-token": secret }, "no_signature"],
      [{ ...standard(secret), "x-gitlab-event": "Push Hook" }, "other_forge"],
      [{ "x-gitea-event": "push", "x-hub-signature-256": `sha256=${hex}` }, "other_forge"],
      [{ "x-forgejo-event": "push", "x-hub-signature-256": `sha256=${hex}` }, "other_forge"],
    ];
    for (const [headers, reason] of forged)
      expect(await check("github", { "x-github-event": "push", ...headers }), JSON.stringify(headers)).toBe(
        reason,
      );
  });
});

describe("a delivery of Gitea or Forgejo", () => {
  it.each(["gitea", "forgejo"])("is authentic with the signature of %s", async (name) => {
    const headers = { "x-github-event": "push", [`x-${name}-event`]: "push" };
    const signature = await hmac(secret, body);
    expect(await check("gitea", { ...headers, [`x-${name}-signature`]: signature })).toBeNull();
    expect(await check("gitea", { ...headers, [`x-${name}-signature`]: flipped(signature) })).toBe(
      "bad_signature",
    );
  });

  it("is forged with an empty signature, which a webhook without a secret has", async () => {
    const headers = { "x-gitea-event": "push", "x-gitea-signature": "", "x-hub-signature-256": "sha256=" };
    expect(await check("gitea", headers)).toBe("no_signature");
    expect(await check("gitea", headers, { secrets: [""] })).toBe("no_signature");
  });

  it("is forged with the header of another forge", async () => {
    const headers = { "x-github-event": "push", "x-hub-signature-256": await sign(secret, body) };
    expect(await check("gitea", headers)).toBe("other_forge");
    expect(await check("gitea", { ...headers, "x-gitea-event": "push" })).toBe("no_signature");
  });
});

describe("a delivery of Bitbucket", () => {
  it("is authentic with SHA-256 under the name that GitHub uses for SHA-1", async () => {
    const headers = { "x-event-key": "repo:push", "x-hub-signature": `sha256=${await hmac(secret, body)}` };
    expect(await check("bitbucket", headers)).toBeNull();
    const sha1 = { ...headers, "x-hub-signature": `sha1=${"0".repeat(40)}` };
    expect(await check("bitbucket", sha1)).toBe("bad_signature");
    expect(await check("github", headers)).toBe("other_forge");
  });
});

describe("a delivery of GitLab", () => {
  it("is authentic with the signature that the library of Standard Webhooks makes", async () => {
    expect(await check("gitlab", standard(secret))).toBeNull();
    expect(await check("gitlab", standard(secret), { secrets: [other, secret] })).toBeNull();
    expect(await check("gitlab", standard(other))).toBe("bad_signature");
    expect(await check("gitlab", standard(secret), { text: `${body}\n` })).toBe("bad_signature");
    expect(await check("gitlab", { ...standard(secret), "webhook-id": "another" })).toBe("bad_signature");
  });

  it("is authentic for five minutes", async () => {
    expect(await check("gitlab", standard(secret, NOW_S - 299))).toBeNull();
    expect(await check("gitlab", standard(secret, NOW_S - 301))).toBe("too_old");
    expect(await check("gitlab", standard(secret, NOW_S + 301))).toBe("too_old");
  });

  it("is authentic with the secret itself, in GitLab's older form", async () => {
    const headers = { "x-gitlab-event": "Push Hook", "webhook-id": "1", "webhook-timestamp": String(NOW_S) };
    expect(await check("gitlab", { ...headers, "x-gitlab-token": secret })).toBeNull();
    expect(await check("gitlab", { ...headers, "x-gitlab-token": `${secret}x` })).toBe("bad_signature");
    expect(await check("gitlab", { ...headers, "x-gitlab-token": "" })).toBe("no_signature");
    expect(await check("gitlab", headers)).toBe("no_signature");
  });

  it("is forged if its signature is wrong, whatever its token", async () => {
    const headers = { ...standard(other), "x-gitlab-token": secret };
    expect(await check("gitlab", headers)).toBe("bad_signature");
    expect(await check("gitlab", { ...headers, "webhook-signature": "" })).toBe("bad_signature");
    const unsignable = { secrets: ["a-secret-that-signs-nothing"] };
    expect(await check("gitlab", standard(secret), unsignable)).toBe("bad_signature");
    const noKey = standard(toBase64(new Uint8Array(24)));
    expect(await check("gitlab", noKey, unsignable)).toBe("bad_signature");
  });
});
