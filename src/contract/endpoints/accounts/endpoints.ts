import { Account, UpdateAccountInput, Health } from "#contract/endpoints/accounts/schemas.ts";
import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { accountToken, get, patch, token } from "#contract/endpoints/endpoint-defaults.ts";

/** The endpoints for the account, and the health of the installation. */
export const accountEndpoints = {
  getAccount: {
    ...get("/v1/account", token(null)),
    summary: "Get the account and the current token",
    success: { status: 200, body: Account },
  },
  updateAccount: {
    ...patch("/v1/account", accountToken("account:write")),
    summary: "Change the account's settings",
    body: UpdateAccountInput,
    success: { status: 200, body: Account },
  },
  getHealth: {
    ...get("/healthz", { by: "none" }),
    summary: "Check the health of the control plane and its database",
    success: { status: 200, body: Health },
    problems: ["unavailable"],
  },
} as const satisfies Record<string, Endpoint>;
