import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";
import * as z from "zod/mini";

import { formWebhookSecret, signedHeaders } from "#sealing/standard-webhook.ts";
import { root } from "../../scripts/shared/root.ts";

type Verify = (secret: string, headers: Readonly<Record<string, string>>, body: string) => boolean;
const Module = z.object({ verify: z.custom<Verify>((value) => typeof value === "function") });

it("the function of docs/webhooks.md accepts what Gantry signs, and nothing else", async () => {
  const page = readFileSync(join(root, "docs/webhooks.md"), "utf8");
  const [, code = ""] = /```js\n([\s\S]*?)```/.exec(page) ?? [];
  const { verify } = Module.parse(await import(`data:text/javascript,${encodeURIComponent(code)}`));
  const [secret = "", other = ""] = [1, 2].map((fill) => formWebhookSecret(new Uint8Array(32).fill(fill)));
  const body = '{"name":"Grün"}';
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = await signedHeaders([other, secret], { id: "evt_1", timestamp, body });
  expect(verify(secret, headers, body)).toBe(true);
  expect(verify(other, headers, body)).toBe(true);
  expect(verify(formWebhookSecret(new Uint8Array(32)), headers, body)).toBe(false);
  expect(verify(secret, headers, `${body} `)).toBe(false);
  const late = await signedHeaders([secret], { id: "evt_1", timestamp: timestamp - 301, body });
  expect(verify(secret, late, body)).toBe(false);
  for (const name of Object.keys(headers)) {
    const others = Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name));
    expect(verify(secret, others, body), `without ${name}`).toBe(false);
  }
  expect(verify(secret, {}, body)).toBe(false);
  expect(verify(secret, { ...headers, "webhook-timestamp": "now" }, body)).toBe(false);
  expect(verify(secret, { ...headers, "webhook-signature": "v1,Grün" }, body)).toBe(false);
});
