import { Account, UpdateAccountInput, Health, HealthQuery } from "#contract/endpoints/accounts/schemas.ts";
import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { accountToken, get, patch, token } from "#contract/endpoints/endpoint-defaults.ts";

/** The endpoints for the account, and the health of the installation. */
export const accountEndpoints = {
  getAccount: {
    ...get("/v1/account", token(null)),
    success: { status: 200, body: Account },
  },
  updateAccount: {
    ...patch("/v1/account", accountToken("account:write")),
    body: UpdateAccountInput,
    success: { status: 200, body: Account },
  },
  getHealth: {
    ...get("/healthz", { by: "none" }),
    query: HealthQuery,
    success: { status: 200, body: Health },
    problems: ["unavailable"],
  },
} as const satisfies Record<string, Endpoint>;
