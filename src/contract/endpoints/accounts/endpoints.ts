import { Account, UpdateAccountInput, Health } from "#contract/endpoints/accounts/schemas.ts";
import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { accountToken, NoParams, plain, token } from "#contract/endpoints/endpoint-defaults.ts";

/** The endpoints for the account, and the health of the installation. */
export const accountEndpoints = {
  getAccount: {
    ...plain,
    method: "GET",
    path: "/v1/account",
    access: token(null),
    summary: "Get the account and the current token",
    params: NoParams,
    success: { status: 200, body: Account },
  },
  updateAccount: {
    ...plain,
    method: "PATCH",
    path: "/v1/account",
    access: accountToken("account:write"),
    summary: "Change the account's settings",
    params: NoParams,
    body: UpdateAccountInput,
    success: { status: 200, body: Account },
  },
  getHealth: {
    ...plain,
    method: "GET",
    path: "/healthz",
    access: { by: "none" },
    summary: "Check the health of the control plane and its database",
    params: NoParams,
    success: { status: 200, body: Health },
    problems: ["unavailable"],
  },
} as const satisfies Record<string, Endpoint>;
