import { expect, it } from "vitest";
import { call } from "../../support/worker/call.ts";
import { createAccount } from "../../support/worker/account.ts";
it("answers", async () => {
  const { token } = await createAccount();
  for (const [m, p, b] of [
    ["GET", "/healthz"],
    ["GET", "/v1/account"],
    ["GET", "/v1/servers"],
    ["POST", "/v1/servers", { name: "a", ip: "1.2.3.4" }],
    ["GET", "/v1/servers"],
    ["GET", "/v1/deployments"],
    ["GET", "/nope"],
    ["PUT", "/v1/servers"],
    ["GET", "/v1/agent/connect"],
  ] as const) {
    const r = await call(p, { method: m, token, body: b });
    console.log(m, p, r.status, JSON.stringify(Object.fromEntries(r.headers)), await r.text());
  }
  expect(1).toBe(1);
});
